"""Write report.html: one page that holds everything, to be read in any browser, sent by mail or printed.

Reads consolidated.csv, qa.csv, forecast.csv and, for the note and the signatures, the event log.
Outputs: `report` (the file), `countries`, `signed_by`.
"""

from __future__ import annotations

import csv
from html import escape
from pathlib import Path

from charts import CONTINENTS, Ahead, small, world
from figures import Event, Figure, artifacts, events, give_up, need, output, read_figures, reconciliation, write_whole

SIGNATURES = {
    "approve": "Collection approved",
    "reconcile": "Findings reconciled",
    "approve_publication": "Publication approved",
}


def table(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV file an earlier task wrote."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except FileNotFoundError:
        give_up(f"{path.name} is not there: the task that writes it has not run.")


def forecasts(path: Path) -> dict[str, list[Ahead]]:
    """What is expected of each country, nearest year first."""
    found: dict[str, list[Ahead]] = {}
    for line in table(path):
        ahead = Ahead(int(line["year"]), float(line["lifeExp"]), float(line["low"]), float(line["high"]))
        found.setdefault(line["country"], []).append(ahead)
    return {country: sorted(steps) for country, steps in found.items()}


def signatures(instance: str) -> list[tuple[str, Event]]:
    """Who signed what, in the order of the process: the last finish of each task that is a signature."""
    last: dict[str, Event] = {}
    for event in events(instance):
        if event.task in SIGNATURES and event.field == "status":
            if event.value in ("open", "doing"):
                last.pop(event.task, None)
            else:
                last[event.task] = event
    return [(title, last[task]) for task, title in SIGNATURES.items() if task in last]


def tile(number: str, words: str) -> str:
    """One figure worth a large font."""
    return f'<div class="tile"><strong>{escape(number)}</strong><span>{escape(words)}</span></div>'


def tiles(figures: dict[str, list[Figure]], found: int) -> str:
    """The page in four numbers."""
    latest = [series[-1] for series in figures.values()]
    people = sum(figure.population for figure in latest)
    mean = sum(figure.life * figure.population for figure in latest) / people if people else 0
    return "".join(
        (
            tile(str(len(figures)), "country" if len(figures) == 1 else "countries"),
            tile(f"{people / 1e9:.2f} billion", f"people in {latest[0].year}"),
            tile(f"{mean:.1f} years", "life expectancy, weighted by people"),
            tile(str(found), "implausible falls, reconciled" if found else "implausible falls"),
        )
    )


def findings(lines: list[dict[str, str]], note: Event | None) -> str:
    """What the check stopped at, and the answer of the person who looked into it."""
    if not lines:
        return "<p>The check found no implausible fall.</p>"
    rows = "".join(
        f"<tr><th scope=row>{escape(line['country'])}</th><td>{escape(line['year'])}</td>"
        f"<td>{float(line['before']):.1f}</td><td>{float(line['after']):.1f}</td><td>−{float(line['by']):.1f}</td></tr>"
        for line in lines
    )
    answer = (
        f"<blockquote>{escape(note.value)}<footer>{escape(note.actor)}, {escape(note.ts[:10])}</footer></blockquote>"
        if note
        else ""
    )
    return (
        "<table><thead><tr><th scope=col>Country</th><th scope=col>Year</th><th scope=col>Before</th>"
        f"<th scope=col>After</th><th scope=col>Change</th></tr></thead><tbody>{rows}</tbody></table>{answer}"
    )


def country_card(series: list[Figure], ahead: list[Ahead], odd: set[int], low: float, high: float) -> str:
    """A country's drawing with its latest and its expected figure in words."""
    step = ahead[-1] if ahead else None
    words = f"{series[-1].life:.1f} years in {series[-1].year}"
    if step:
        words += f", {step.life:.1f} expected in {step.year}"
    drawing = small(series, ahead, odd, low, high)
    return f"<figure><figcaption><b>{escape(series[0].country)}</b>{escape(words)}</figcaption>{drawing}</figure>"


def countries(figures: dict[str, list[Figure]], ahead: dict[str, list[Ahead]], odd: list[dict[str, str]]) -> str:
    """A drawing per country, all on one scale."""
    lives = [figure.life for series in figures.values() for figure in series]
    expected = [step.life for steps in ahead.values() for step in steps]
    low, high = min(lives + expected) - 2, max(lives + expected) + 2
    years = {country: {int(line["year"]) for line in odd if line["country"] == country} for country in figures}
    return "".join(
        country_card(series, ahead.get(country, []), years[country], low, high) for country, series in figures.items()
    )


def page(instance: str, parts: dict[str, str]) -> str:
    """The whole page, from the template beside this script."""
    template = Path(__file__).with_name("report.html").read_text(encoding="utf-8")
    for name, part in {"INSTANCE": escape(instance), **parts}.items():
        template = template.replace(f"<!--{name}-->", part)
    return template


def main() -> None:
    """Gather what the earlier tasks left, and write the page."""
    folder, instance = artifacts(), need("PROC_INSTANCE")
    figures = read_figures(folder / "consolidated.csv")
    if not figures:
        give_up("consolidated.csv holds no figures: there is nothing to publish.")
    odd = table(folder / "qa.csv")
    note, _ = reconciliation(instance)
    signed = signatures(instance)
    legend = "".join(f'<li class="c{number}">{name}</li>' for number, name in enumerate(CONTINENTS))
    parts = {
        "TILES": tiles(figures, len(odd)),
        "FINDINGS": findings(odd, note),
        "WORLD": world(figures),
        "LEGEND": legend,
        "COUNTRIES": countries(figures, forecasts(folder / "forecast.csv"), odd),
        "SIGNATURES": "".join(
            f"<li><b>{escape(title)}</b> by {escape(event.actor)} on {escape(event.ts[:10])}</li>"
            for title, event in signed
        ),
    }
    write_whole(folder / "report.html", page(instance, parts))
    output("report", "report.html")
    output("countries", len(figures))
    output("signed_by", ", ".join(event.actor for _, event in signed) or "nobody")


if __name__ == "__main__":
    main()
