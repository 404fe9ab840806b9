"""The frame around every page."""

from django.test import Client

from tests.views.conftest import Login


def test_a_stranger_is_sent_to_the_login_page(db: None, client: Client) -> None:
    response = client.get("/")
    assert response.status_code == 302
    assert response["Location"] == "/account/login/?next=/"


def test_a_fragment_without_a_login_gets_401_and_no_redirect(db: None, client: Client) -> None:
    assert client.get("/", headers={"HX-Request": "true"}).status_code == 401


def test_a_logged_in_person_sees_the_frame_with_the_own_name(login: Login) -> None:
    assert "Ana Weiss" in login("ana").get("/").text
