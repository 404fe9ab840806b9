"""The stand-in for the delivery platform puts figures where the scripts look, whole, once, and resumes."""

import csv
import json
import subprocess
import sys
from pathlib import Path

from tests.jobs.conftest import JOBS, Workplace

DELIVER = JOBS.parent / "deploy" / "demo" / "deliver.py"


def deliver(place: Workplace, *countries: str) -> str:
    """Run the stand-in to its end; what it said."""
    names = place.store / "countries.csv"
    with names.open("w", newline="") as file:
        csv.writer(file).writerows([["country", "continent"], *([name, "-"] for name in countries)])
    command = [sys.executable, str(DELIVER), "--store", str(place.store), "--instance", place.instance]
    command += ["--countries", str(names), "--interval", "0"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout


def test_every_country_is_delivered_and_passes_the_validation(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    with (JOBS / "data" / "gapminder.csv").open(newline="") as file:
        countries = list(dict.fromkeys(line["country"] for line in csv.DictReader(file)))
    deliver(place, *countries)
    assert len(list((place.artifacts / "deliveries").glob("*.csv"))) == len(countries) == 142
    for country in ("Cote d'Ivoire", "Congo, Dem. Rep.", "Norway"):
        assert place.run("validate.py", country).outputs["rows"] == "12"


def test_its_messages_are_whole_and_name_instance_task_and_element(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    deliver(place, "Cote d'Ivoire")
    (message,) = (place.store / "inbox").iterdir()
    assert message.suffix == ".json"
    assert json.loads(message.read_text()) == {
        "instance": "2026Q3", "task": "delivery", "element": "Cote d'Ivoire", "value": "done", "actor": "platform",
    }  # fmt: skip


def test_started_again_it_delivers_only_what_is_missing(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    deliver(place, "Norway")
    processed = place.store / "inbox" / "processed"
    processed.mkdir()
    (message,) = (place.store / "inbox").glob("*.json")
    message.rename(processed / message.name)
    said = deliver(place, "Norway", "Japan", "Atlantis")
    assert said.splitlines() == ["Delivered Japan.", "There are no figures of Atlantis.", "Everything is delivered."]
