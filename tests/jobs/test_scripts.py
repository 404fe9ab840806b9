"""Each script of the demo does its work on real figures, and says clearly what is wrong with bad ones."""

import csv

import pytest

from .conftest import JOBS, Workplace

HEADER = ["country", "continent", "year", "lifeExp", "pop", "gdpPercap"]
YEARS = [str(year) for year in range(1952, 2008, 5)]


def plain(country: str, years: list[str] | None = None) -> list[list[str]]:
    """Figures nothing is wrong with."""
    return [[country, "Europe", year, "70", "1000000", "5000"] for year in years or YEARS]


def test_figures_without_fault_pass_the_validation(place: Workplace) -> None:
    place.deliver("Norway")
    run = place.run("validate.py", "Norway")
    assert (run.code, run.outputs) == (0, {"rows": "12", "problems": "0"})


def test_the_validation_tells_the_reviewer_what_is_odd_about_rwanda(place: Workplace) -> None:
    place.deliver("Rwanda")
    run = place.run("validate.py", "Rwanda")
    assert run.code == 0
    assert run.outputs["problems"] == "1"
    assert run.outputs["finding"] == "lifeExp 23.599 in 1992 is outside 25 to 90"


def test_the_validation_names_every_gap_and_every_cell_that_is_no_number(place: Workplace) -> None:
    lines = plain("Norway", [year for year in YEARS if year != "1977"])
    lines[0][3], lines[1][4], lines[2][5] = "n/a", "", "-5"
    place.deliver_rows("Norway", HEADER, [*lines, lines[-1], ["Norway", "Europe", "20x7", "70", "1000000", "nan"]])
    run = place.run("validate.py", "Norway")
    assert run.code == 0
    for sentence in (
        "no figures for 1977",
        "2007 is there 2 times",
        "a year nobody asked for: 20x7",
        "lifeExp in 1952 is no number: n/a",
        "pop in 1957 is no number: empty",
        "gdpPercap -5 in 1962 is outside",
        "gdpPercap in 20x7 is no number: nan",
    ):
        assert sentence in run.said
    assert run.outputs["problems"] == "7"


def test_a_missing_a_foreign_and_an_unreadable_delivery_fail(place: Workplace) -> None:
    missing = place.run("validate.py", "Norway")
    assert missing.code == 1
    assert "Norway.csv is not there" in missing.said
    place.deliver_rows("Norway", HEADER, plain("Sweden"))
    foreign = place.run("validate.py", "Norway")
    assert foreign.code == 1
    assert "The delivery of Norway holds figures of Sweden." in foreign.said
    place.deliver_rows("Norway", HEADER[:4], [line[:4] for line in plain("Norway")])
    assert "lacks the column pop" in place.run("validate.py", "Norway").said
    (place.artifacts / "deliveries" / "Norway.csv").write_bytes(b"\xff\xfe\x00country")
    assert place.run("validate.py", "Norway").code == 1


def test_the_range_comes_from_the_params(place: Workplace) -> None:
    place.deliver("Rwanda")
    assert place.run("validate.py", "Rwanda", min_life=20).outputs["problems"] == "0"
    wrong = place.run("validate.py", "Rwanda", min_life="low")
    assert wrong.code == 1
    assert "params: min_life=low is no number." in wrong.said


def test_all_countries_are_put_together_once_and_in_order(place: Workplace) -> None:
    place.deliver("Rwanda", "Cote d'Ivoire", "Congo, Dem. Rep.")
    for _ in range(2):
        run = place.run("consolidate.sh")
        assert run.outputs == {"rows": "36", "countries": "3"}
    lines = place.table("consolidated.csv")
    assert [line["country"] for line in lines[::12]] == ["Congo, Dem. Rep.", "Cote d'Ivoire", "Rwanda"]
    assert [line["year"] for line in lines[:12]] == YEARS
    assert not list(place.artifacts.glob(".*"))


def test_a_file_without_a_last_newline_and_one_from_windows_are_put_together_whole(place: Workplace) -> None:
    first = place.deliver_rows("A", HEADER, plain("A"))
    first.write_text(first.read_text().rstrip("\r\n"))
    second = place.deliver_rows("B", HEADER, plain("B"))
    second.write_text(second.read_text().replace("\n", "\r\n"), newline="")
    assert place.run("consolidate.sh").outputs == {"rows": "24", "countries": "2"}
    assert b"\r" not in (place.artifacts / "consolidated.csv").read_bytes()


def test_nothing_delivered_and_other_columns_are_refused(place: Workplace) -> None:
    nothing = place.run("consolidate.sh")
    assert nothing.code == 1
    assert "Nothing was delivered" in nothing.said
    place.deliver_rows("A", HEADER, plain("A"))
    place.deliver_rows("B", [*HEADER, "source"], [])
    other = place.run("consolidate.sh")
    assert other.code == 1
    assert "B.csv has other columns" in other.said
    assert not (place.artifacts / "consolidated.csv").exists()


def test_the_check_finds_rwanda_and_cambodia_and_says_false(place: Workplace) -> None:
    place.deliver("Rwanda", "Cambodia", "Norway", "Japan")
    place.run("consolidate.sh")
    run = place.run("qa.py")
    assert run.code == 0
    assert run.outputs == {"findings": "2", "worst": "Rwanda 1992, down 20.4 years", "status": "false"}
    assert [(line["country"], line["year"], line["by"]) for line in place.table("qa.csv")] == [
        ("Rwanda", "1992", "20.421"),
        ("Cambodia", "1977", "9.097"),
    ]


def test_the_check_says_true_once_the_note_of_this_instance_is_there(place: Workplace) -> None:
    place.deliver("Rwanda", "Norway")
    place.run("consolidate.sh")
    place.note("reconcile", "note", "Of another quarter.", instance="2026Q2")
    place.note("review", "note", "Of another task.")
    place.note("reconcile", "note", "  ")
    with place.events.open("a") as log:
        log.write('not an event\n[]\n{"torn": \n')
    assert place.run("qa.py").outputs["status"] == "false"
    place.note("reconcile", "note", "The genocide; the figure is true.")
    run = place.run("qa.py")
    assert run.outputs["status"] == "true"
    assert "Reconciled by ana on 2026-11-29T16:04:31Z: The genocide; the figure is true." in run.said


def test_after_management_sent_the_figures_back_a_new_note_is_needed(place: Workplace) -> None:
    place.deliver("Norway")
    place.run("consolidate.sh")
    assert place.run("qa.py").outputs["status"] == "true"
    place.note("reconcile", "note", "All is well.")
    place.note("approve_publication", "status", "rejected", actor="mira")
    assert place.run("qa.py").outputs["status"] == "false"
    place.note("reconcile", "note", "Asked the sender again.")
    assert place.run("qa.py").outputs["status"] == "true"


@pytest.mark.usefixtures("has_r")
def test_r_and_python_forecast_the_same(place: Workplace) -> None:
    with (JOBS / "data" / "gapminder.csv").open(newline="") as file:
        countries = sorted({line["country"] for line in csv.DictReader(file)})
    place.deliver(*countries)
    place.run("consolidate.sh")
    tables = []
    for script in ("forecast.R", "forecast.py"):
        run = place.run(script, last=6, rounds=2)
        assert run.code == 0, run.said
        assert run.outputs == {"countries": "142", "horizon": "2017"}
        tables.append(place.table("forecast.csv"))
    by_r, by_python = tables
    assert len(by_r) == len(by_python) == 284
    for one, other in zip(by_r, by_python, strict=True):
        assert (one["country"], one["year"]) == (other["country"], other["year"])
        for column in ("lifeExp", "low", "high"):
            assert float(one[column]) == pytest.approx(float(other[column]), abs=0.002)


@pytest.mark.parametrize("script", ["forecast.R", "forecast.py"])
@pytest.mark.usefixtures("has_r")
def test_two_figures_are_too_few_for_a_forecast(place: Workplace, script: str) -> None:
    place.deliver_rows("A", HEADER, plain("A", YEARS[:2]))
    place.run("consolidate.sh")
    run = place.run(script)
    assert run.code != 0
    assert "A: a line needs at least three figures" in run.said.replace("::", ":").replace("\n  ", " ")
