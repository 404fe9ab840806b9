"""The colours: readable in both schemes, and told apart without colour."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from board.selectors.words import state_word
from board.templatetags.look import STATES

CSS = (Path(__file__).resolve().parents[2] / "static" / "css" / "base.css").read_text()
TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", CSS)
}
STATE_COLOURS = ("open", "doing", "blocked", "done", "failed", "answer")
SCHEMES = {"light": 0, "dark": 1}
AA_TEXT, AA_SHAPE = 4.5, 3.0


def luminance(colour: str) -> float:
    """WCAG's relative luminance of `#rrggbb`."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mixed(colour: str, share: float, ground: str) -> str:
    """What `color-mix(in srgb, colour share, ground)` gives."""
    pairs = zip((colour[1:3], colour[3:5], colour[5:7]), (ground[1:3], ground[3:5], ground[5:7]), strict=True)
    return "#" + "".join(f"{round(int(a, 16) * share + int(b, 16) * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("ground", ["paper", "card", "sunk"])
@pytest.mark.parametrize("text", ["ink", "soft", "accent"])
def test_text_is_readable_on_every_ground(text: str, ground: str, scheme: str) -> None:
    n = SCHEMES[scheme]
    assert contrast(TOKENS[text][n], TOKENS[ground][n]) >= AA_TEXT


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("state", STATE_COLOURS)
def test_every_chip_is_readable(state: str, scheme: str) -> None:
    n = SCHEMES[scheme]
    colour, card = TOKENS[state][n], TOKENS["card"][n]
    assert contrast(colour, mixed(colour, 0.09, card)) >= AA_TEXT
    assert contrast(colour, mixed(colour, 0.16, card)) >= AA_TEXT  # under the mouse


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_accent_carries_its_text_and_fields_have_an_edge(scheme: str) -> None:
    n = SCHEMES[scheme]
    assert contrast(TOKENS["accent"][n], TOKENS["accent-ink"][n]) >= AA_TEXT
    assert contrast(TOKENS["edge"][n], TOKENS["card"][n]) >= AA_SHAPE
    assert contrast(TOKENS["edge"][n], TOKENS["paper"][n]) >= AA_SHAPE


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("a", "b"), [("done", "failed"), ("done", "open"), ("failed", "doing"), ("open", "failed")])
def test_states_that_matter_differ_in_colour_for_people_who_confuse_red_and_green(a: str, b: str, scheme: str) -> None:
    # in the way deuteranopia mixes red and green, the blue-yellow and lightness differences that are left
    def seen(colour: str) -> tuple[float, float]:
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        yellow = 0.625 * red + 0.375 * green
        return yellow, float(blue)

    (y1, b1), (y2, b2) = (seen(TOKENS[name][SCHEMES[scheme]]) for name in (a, b))
    assert abs(y1 - y2) + abs(b1 - b2) > 40


def test_every_state_has_a_shape_and_a_word_of_its_own() -> None:
    for one, other in combinations(("open", "doing", "blocked", "skipped", "done", "failed"), 2):
        assert STATES[one][1] != STATES[other][1]
        assert state_word(one) != state_word(other)


def test_every_icon_that_is_used_is_drawn() -> None:
    root = Path(__file__).resolve().parents[2] / "templates"
    drawn = set(re.findall(r'id="i-(\w+)"', (root / "includes" / "icons.html").read_text()))
    used = {shape for _, shape in STATES.values()}
    for template in root.rglob("*.html"):
        used |= set(re.findall(r'{% icon "(\w+)" %}', template.read_text()))
    assert used <= drawn
