"""Carry life expectancy forward where there is no R: the same line, range, params, outputs and file as forecast.R."""

from __future__ import annotations

import math

from figures import Figure, artifacts, give_up, output, param, read_figures, write_table

# The 0.9 quantile of Student's t by degrees of freedom 1 to 10: four of five future figures lie within.
T_90 = (3.077684, 1.885618, 1.637744, 1.533206, 1.475884, 1.439756, 1.414924, 1.396815, 1.383029, 1.372184)
T_90_MANY = 1.281552


def carry_forward(series: list[Figure], ahead: list[int]) -> list[tuple[object, ...]]:
    """Country, year, expected value and its range, for each year ahead, by least squares."""
    n = len(series)
    if n < 3:
        give_up(f"{series[0].country}: a line needs at least three figures")
    mean_year = sum(figure.year for figure in series) / n
    mean_life = sum(figure.life for figure in series) / n
    spread = sum((figure.year - mean_year) ** 2 for figure in series)
    slope = sum((figure.year - mean_year) * (figure.life - mean_life) for figure in series) / spread
    residuals = [figure.life - mean_life - slope * (figure.year - mean_year) for figure in series]
    deviation = math.sqrt(sum(residual**2 for residual in residuals) / (n - 2))
    quantile = T_90[n - 3] if n - 3 < len(T_90) else T_90_MANY
    lines: list[tuple[object, ...]] = []
    for years in ahead:
        year = series[-1].year + years
        expected = mean_life + slope * (year - mean_year)
        reach = quantile * deviation * math.sqrt(1 + 1 / n + (year - mean_year) ** 2 / spread)
        lines.append(
            (series[0].country, year, round(expected, 3), round(expected - reach, 3), round(expected + reach, 3))
        )
    return lines


def main() -> None:
    """Forecast every country of the consolidated figures."""
    folder = artifacts()
    last = int(param("last", 6))
    ahead = [int(param("every", 5)) * step for step in range(1, int(param("rounds", 2)) + 1)]
    figures = read_figures(folder / "consolidated.csv")
    lines = [line for series in figures.values() for line in carry_forward(series[-last:], ahead)]
    write_table(folder / "forecast.csv", ("country", "year", "lifeExp", "low", "high"), lines)
    for country, year, expected, low, high in lines:
        print(f"{country}: {expected:.1f} years in {year} ({low:.1f} to {high:.1f})")
    output("countries", len(figures))
    output("horizon", max((int(str(line[1])) for line in lines), default=0))


if __name__ == "__main__":
    main()
