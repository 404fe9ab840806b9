"""Process tables made up by number, alike from run to run: what people write, up to 60 tasks."""

from __future__ import annotations

from random import Random

from board.process.definition.table import ProcessTable

ROLES = ("analyst", "system", "steward", "management", "")
ANSWERS = (("approved", "rejected"), ("true", "false"), ("yes", "no", "later"))


def made_up(number: int, most: int = 60) -> ProcessTable:
    """Table number `number`: 1 to `most` tasks with groups, answers, joins and loops as they come."""
    random = Random(number)
    size = 1 + number * most // 200 if number < 200 else random.randint(1, most)
    roles = ROLES[: random.randint(1, len(ROLES))]
    rows: list[dict[str, str]] = []
    answers: dict[str, tuple[str, ...]] = {}
    group = ""
    left_in_group = 0
    for n in range(size):
        if not left_in_group and size > 4 and random.random() < 0.08:
            group, left_in_group = f"g{n}", random.randint(1, 4)
            before = _earlier(rows, random, answers, "") if rows and random.random() < 0.8 else ""
            rows.append({"task": group, "name": f"Each part {n}", "collection": "part", "depends_on": before})
        here = group if left_in_group else ""
        left_in_group -= bool(left_in_group)
        task = f"t{n}"
        row = {"task": task, "name": _name(n, random), "role": random.choice(roles), "parent": here}
        if row["role"] == "system" and random.random() < 0.7:
            row["script"] = "work.py"
        row["depends_on"] = _earlier(rows, random, answers, here)
        if row["depends_on"].count(",") and random.random() < 0.4:
            row["join"] = random.choice(("any", "n=2", "inclusive", "60%"))
        rows.append(row)
        if random.random() < 0.2:
            answers[task] = random.choice(ANSWERS)
        if random.random() < 0.1:
            _loop_back(rows, row, random)
    return ProcessTable.from_rows(rows)


def _earlier(rows: list[dict[str, str]], random: Random, answers: dict[str, tuple[str, ...]], group: str) -> str:
    """Mostly the row before, sometimes two or three of the last ones."""
    if group:
        rows = [row for row in rows if row.get("parent") == group]
    near = [row for row in rows[-8:] if row["task"] != group]
    if not near or random.random() < 0.04:
        return ""
    count = random.choices((1, 2, 3), (75, 20, 5))[0]
    chosen = {near[-1]["task"]} if random.random() < 0.6 else set()
    while len(chosen) < min(count, len(near)):
        chosen.add(random.choice(near)["task"])
    found = []
    for task in sorted(chosen):
        label = random.choice(answers[task]) if task in answers else ""
        found.append(f"{task}:{label}" if label else task)
    return ", ".join(found)


def _loop_back(rows: list[dict[str, str]], row: dict[str, str], random: Random) -> None:
    """An earlier row of the same group waits for this one's rejection."""
    beside = [each for each in rows[-7:-1] if each.get("parent") == row["parent"]]
    earlier = [each for each in beside if "collection" not in each and each is not row]
    if earlier:
        target = random.choice(earlier)
        label = random.choice(("", ":false", ":rejected"))
        target["depends_on"] = ", ".join(filter(None, (target["depends_on"], row["task"] + label)))


def _name(n: int, random: Random) -> str:
    words = ("Check", "Collect", "figures", "of the quarter", "Approve", "report", "implausible", "Reconcile", "prüfen")
    return f"{random.choice(words)} {random.choice(words)} {n}"
