"""The report's pictures: small SVG drawings that carry their own title and need no script and no other file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from figures import Figure


class Ahead(NamedTuple):
    """One forecast: the expected value and its range."""

    year: int
    life: float
    low: float
    high: float


CONTINENTS = ("Africa", "Americas", "Asia", "Europe", "Oceania")


def scale(least: float, greatest: float, start: float, end: float) -> Callable[[float], float]:
    """A function that carries numbers of one range into another, rounded to a tenth of a pixel."""
    span = (greatest - least) or 1.0
    return lambda value: round(start + (value - least) / span * (end - start), 1)


def points(pairs: Sequence[tuple[float, float]]) -> str:
    """Coordinates as SVG wants them."""
    return " ".join(f"{x:g},{y:g}" for x, y in pairs)


def picture(width: int, height: int, title: str, inside: list[str]) -> str:
    """A drawing that grows with the page and says its title to those who cannot see it."""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}">'
        f"<title>{escape(title)}</title>{''.join(inside)}</svg>"
    )


def small(series: list[Figure], ahead: list[Ahead], odd_years: set[int], low: float, high: float) -> str:
    """One country: its line, the forecast with its range, and a ring around every year the check stopped at."""
    last_year = ahead[-1].year if ahead else series[-1].year
    x, y = scale(series[0].year, last_year, 4, 196), scale(low, high, 88, 8)
    inside = [
        f'<line class="grid" x1="4" x2="196" y1="{y(age):g}" y2="{y(age):g}"/>'
        for age in (40, 60, 80)
        if low < age < high
    ]
    if ahead:
        end = series[-1]
        over = [(x(end.year), y(end.life))] + [(x(step.year), y(step.high)) for step in ahead]
        under = [(x(step.year), y(step.low)) for step in reversed(ahead)]
        middle = [(x(end.year), y(end.life))] + [(x(step.year), y(step.life)) for step in ahead]
        inside.append(f'<polygon class="range" points="{points(over + under)}"/>')
        inside.append(f'<polyline class="ahead" points="{points(middle)}"/>')
    inside.append(f'<polyline class="line" points="{points([(x(f.year), y(f.life)) for f in series])}"/>')
    odd = [figure for figure in series if figure.year in odd_years]
    inside += [f'<circle class="odd" cx="{x(figure.year):g}" cy="{y(figure.life):g}" r="5"/>' for figure in odd]
    country = series[0].country
    return picture(200, 96, f"{country}: life expectancy {series[0].year} to {last_year}", inside)


def world(figures: dict[str, list[Figure]]) -> str:
    """Income against life expectancy in the last year: a circle per country, its area the number of people."""
    latest = [series[-1] for series in figures.values()]
    people = max(figure.population for figure in latest)
    low = min(figure.life for figure in latest) - 3
    x, y = scale(math.log10(200), math.log10(100_000), 46, 740), scale(low, 86, 330, 14)
    inside = []
    for income in (500, 2_000, 10_000, 50_000):
        at = x(math.log10(income))
        inside.append(f'<line class="grid" x1="{at:g}" x2="{at:g}" y1="14" y2="330"/>')
        inside.append(f'<text x="{at:g}" y="350" text-anchor="middle">{income:,} $</text>')
    for age in range(math.ceil(low / 10) * 10, 90, 10):
        inside.append(f'<line class="grid" x1="46" x2="740" y1="{y(age):g}" y2="{y(age):g}"/>')
        inside.append(f'<text x="38" y="{y(age) + 4:g}" text-anchor="end">{age}</text>')
    for figure in sorted(latest, key=lambda figure: -figure.population):
        at = x(math.log10(min(max(figure.income, 200), 100_000)))
        radius = round(4 + 30 * math.sqrt(figure.population / people), 1)
        group = CONTINENTS.index(figure.continent) if figure.continent in CONTINENTS else len(CONTINENTS)
        millions = f"{figure.population / 1e6:.1f} million people"
        tip = escape(f"{figure.country}: {figure.life:.1f} years, {figure.income:,.0f} $, {millions}")
        above = y(figure.life) - radius - 4
        circle = f'<circle class="c{group}" cx="{at:g}" cy="{y(figure.life):g}" r="{radius:g}">'
        inside.append(f"{circle}<title>{tip}</title></circle>")
        if len(latest) <= 20 or figure.population > people / 12:
            name = escape(figure.country)
            inside.append(f'<text class="name" x="{at:g}" y="{above:g}" text-anchor="middle">{name}</text>')
    return picture(760, 360, f"GDP per head and life expectancy in {latest[0].year}", inside)
