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
        over = [(x(end.year), y(end.life))] + [(x(step.year), y(min(step.high, high))) for step in ahead]
        under = [(x(step.year), y(max(step.low, low))) for step in reversed(ahead)]
        middle = [(x(end.year), y(end.life))] + [(x(step.year), y(step.life)) for step in ahead]
        inside.append(f'<polygon class="range" points="{points(over + under)}"/>')
        inside.append(f'<polyline class="ahead" points="{points(middle)}"/>')
    inside.append(f'<polyline class="line" points="{points([(x(f.year), y(f.life)) for f in series])}"/>')
    odd = [figure for figure in series if figure.year in odd_years]
    inside += [f'<circle class="odd" cx="{x(figure.year):g}" cy="{y(figure.life):g}" r="5"/>' for figure in odd]
    country = series[0].country
    return picture(200, 96, f"{country}: life expectancy {series[0].year} to {last_year}", inside)


class Names:
    """Names beside circles, each where it covers no other name; one that fits nowhere is left to the circle's title."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.taken: list[tuple[float, float, float]] = []  # left, right and base line of each name placed
        self.drawn: list[str] = []

    def place(self, name: str, x: float, y: float, radius: float) -> None:
        """Write a name above its circle, else below, else beside it."""
        half = 3.4 * len(name)
        beside = radius + half + 3
        for at, base in ((x, y - radius - 4), (x, y + radius + 12), (x - beside, y + 4), (x + beside, y + 4)):
            left, right = at - half, at + half
            free = all(right < one or left > other or abs(base - line) > 12 for one, other, line in self.taken)
            if free and left > 0 and right < self.width:
                self.taken.append((left, right, base))
                self.drawn.append(
                    f'<text class="name" x="{at:g}" y="{base:g}" text-anchor="middle">{escape(name)}</text>'
                )
                return


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
    names = Names(760)
    for figure in sorted(latest, key=lambda figure: -figure.population):
        at, up = x(math.log10(min(max(figure.income, 200), 100_000))), y(figure.life)
        radius = round(4 + 30 * math.sqrt(figure.population / people), 1)
        group = CONTINENTS.index(figure.continent) if figure.continent in CONTINENTS else len(CONTINENTS)
        millions = f"{figure.population / 1e6:.1f} million people"
        tip = escape(f"{figure.country}: {figure.life:.1f} years, {figure.income:,.0f} $, {millions}")
        inside.append(f'<circle class="c{group}" cx="{at:g}" cy="{up:g}" r="{radius:g}"><title>{tip}</title></circle>')
        if len(latest) <= 20 or figure.population > people / 12:
            names.place(figure.country, at, up, radius)
    inside += names.drawn
    return picture(760, 360, f"GDP per head and life expectancy in {latest[0].year}", inside)
