"""A small stand-in for the delivery platform: figures of one country after another, each with a message to the inbox.

It knows nothing of the board but the two places where it may write: <store>/<instance>/artifacts/deliveries and
<store>/inbox. A real platform would do the same, from a shell script or any other program. Ended and started again it
goes on where it was.
"""

import argparse
import csv
import json
import os
import time
from pathlib import Path
from urllib.parse import quote

FIGURES = Path(__file__).resolve().parents[2] / "jobs" / "data" / "gapminder.csv"


def put(path: Path, text: str) -> None:
    """Make a file appear whole: a reader that looks at the wrong moment sees none."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)


def file_name(country: str) -> str:
    """The name jobs/figures.py looks for, without its ending."""
    return quote(country, safe=" ,")


def figures() -> dict[str, str]:
    """The lines of each country as they stand in the source, under its header."""
    header, *lines = FIGURES.read_text(encoding="utf-8").splitlines(keepends=True)
    found: dict[str, str] = {}
    for line in lines:
        country = next(csv.reader([line]))[0]
        found[country] = found.get(country, header) + line
    return found


def deliver(store: Path, instance: str, country: str, table: str) -> bool:
    """Deliver one country and tell it; False when it was told before."""
    message = f"delivery-{instance}-{file_name(country)}.json"
    inbox = store / "inbox"
    if any((inbox / folder / message).exists() for folder in ("", "processed", "failed")):
        return False
    folder = store / instance / "artifacts" / "deliveries"
    folder.mkdir(parents=True, exist_ok=True)
    inbox.mkdir(parents=True, exist_ok=True)
    put(folder / f"{file_name(country)}.csv", table)
    told = {"instance": instance, "task": "delivery", "element": country, "value": "done", "actor": "platform"}
    put(inbox / message, json.dumps(told, ensure_ascii=False) + "\n")
    return True


def main() -> None:
    """Deliver every country of the list, with a pause between them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--store", type=Path, required=True)
    options.add_argument("--instance", required=True)
    options.add_argument("--countries", type=Path, required=True, help="a CSV file; the first column names them")
    options.add_argument("--interval", type=float, default=3.0, help="seconds between two deliveries")
    chosen = options.parse_args()
    with chosen.countries.open(newline="", encoding="utf-8") as file:
        countries = [line[0] for line in list(csv.reader(file))[1:] if line]
    known = figures()
    for country in countries:
        if country not in known:
            print(f"There are no figures of {country}.", flush=True)
        elif deliver(chosen.store, chosen.instance, country, known[country]):
            print(f"Delivered {country}.", flush=True)
            time.sleep(chosen.interval)
    print("Everything is delivered.", flush=True)


if __name__ == "__main__":
    main()
