"""An account keeps its name, and nobody else is ever given it: the log knows people by it."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client

pytestmark = pytest.mark.django_db


def test_an_account_is_not_renamed_by_code() -> None:
    user = User.objects.create_user("vera")
    user.username = "vero"
    with pytest.raises(ValidationError, match=r"cannot become “vero”.*first and last name"):
        user.save()
    assert User.objects.get(pk=user.pk).username == "vera"


def test_the_shown_name_of_an_account_changes() -> None:
    user = User.objects.create_user("vera")
    user.first_name = "Veronika"
    user.full_clean(exclude=["password"])
    user.save()
    assert User.objects.get(username="vera").first_name == "Veronika"


def test_the_name_of_a_deleted_account_is_not_given_out_again() -> None:
    User.objects.create_user("vera").delete()
    with pytest.raises(ValidationError, match="was somebody's account"):
        User.objects.create_user("vera")


def test_the_admin_pages_keep_to_it_with_a_sentence(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    User.objects.create_user("gone").delete()
    secret = "tulip-harbour-41"
    made = {"username": "gone", "usable_password": "true", "password1": secret, "password2": secret}
    assert "was somebody" in client.post("/admin/auth/user/add/", made).content.decode()
    user = User.objects.create_user("vera")
    page = client.get(f"/admin/auth/user/{user.pk}/change/").content.decode()
    assert "vera" in page
    assert 'name="username"' not in page
    assert 'name="first_name"' in page
