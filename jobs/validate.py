"""Check the figures one country delivered: is every year there, is every number within its range.

Params: `from` and `to` (years), `every` (years between figures), `min_life`, `max_life`.
Outputs: `rows`, `problems`, and the first `finding`, for the analyst who reviews them. Problems are for people to
judge, so they do not fail the script; a file that is missing, unreadable or of another country does.
"""

from __future__ import annotations

from figures import artifacts, delivery_file, give_up, need, output, param, rows


def ranges() -> dict[str, tuple[float, float]]:
    """The least and the greatest value that needs no second look, by column."""
    return {
        "lifeExp": (param("min_life", 25), param("max_life", 90)),
        "pop": (10_000, 2_000_000_000),
        "gdpPercap": (100, 150_000),
    }


def number(text: str) -> float | None:
    """The number in a cell, None when there is none; what counts as infinite is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def out_of_range(table: list[dict[str, str]]) -> list[str]:
    """A sentence for each number that is missing or outside its range."""
    found = []
    for row in table:
        for column, (least, greatest) in ranges().items():
            value = number(row[column])
            if value is None:
                found.append(f"{column} in {row['year']} is no number: {row[column] or 'empty'}")
            elif not least <= value <= greatest:
                found.append(f"{column} {row[column]} in {row['year']} is outside {least:g} to {greatest:g}")
    return found


def gaps(table: list[dict[str, str]]) -> list[str]:
    """A sentence for each year that is missing, there twice, or not expected."""
    years = [row["year"] for row in table]
    expected = [
        str(year) for year in range(int(param("from", 1952)), int(param("to", 2007)) + 1, int(param("every", 5)))
    ]
    found = [f"no figures for {year}" for year in expected if year not in years]
    found += [f"{year} is there {years.count(year)} times" for year in expected if years.count(year) > 1]
    found += [f"a year nobody asked for: {year or 'empty'}" for year in sorted(set(years) - set(expected))]
    return found


def main() -> None:
    """Read the delivered file of this element and say what is odd about it."""
    country = need("PROC_ELEMENT")
    table = rows(delivery_file(artifacts(), country))
    strangers = sorted({row["country"] for row in table} - {country})
    if strangers:
        give_up(f"The delivery of {country} holds figures of {strangers[0] or 'a nameless country'}.")
    found = gaps(table) + out_of_range(table)
    for sentence in found:
        print(f"{country}: {sentence}")
    output("rows", len(table))
    output("problems", len(found))
    if found:
        output("finding", found[0])


if __name__ == "__main__":
    main()
