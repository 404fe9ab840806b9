"""The look of the picture: one style sheet for the board's pages and for files.

Pages get it as `static/css/picture.css`, with the colours of the page's own tokens, light or dark; a test keeps the two
alike (`python -m board.process.picture.style > static/css/picture.css`). A file gets it with the light colours written
out, since nothing around it says what the tokens are.
"""

import re

TOKENS = {
    "card": "#ffffff",
    "sunk": "#eef0f3",
    "line": "#dfe3e8",
    "edge": "#868f9c",
    "ink": "#1c2430",
    "soft": "#566070",
    "accent": "#2f54c8",
    "open": "#2f54c8",
    "doing": "#8a5a00",
    "blocked": "#5d6675",
    "done": "#1d6f42",
    "failed": "#b3261e",
    "answer": "#6b3fa0",
}

# what a state's shape is filled with: its colour, thin, on the card
WASHES = {
    "open": "#eef2fc",
    "doing": "#fbf3e3",
    "blocked": "#ffffff",
    "skipped": "#ffffff",
    "done": "#e9f4ed",
    "failed": "#fcecea",
    "answer": "#f3edfa",
}

RULES = """\
.pic { display: block; }
.pic text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; }
.pic text { font-size: 12px; fill: var(--ink); }
.pic .lane { fill: none; stroke: var(--line); stroke-width: 1; }
.pic .lane-head { fill: var(--sunk); stroke: var(--line); stroke-width: 1; }
.pic .lane-name { fill: var(--soft); font-size: 11px; font-weight: 600; }
.pic .frame { fill: var(--sunk); fill-opacity: .45; stroke: var(--edge); stroke-width: 1.2; }
.pic .frame-name { fill: var(--soft); font-size: 11px; font-weight: 600; }
.pic .many { fill: none; stroke: var(--soft); stroke-width: 2; }
.pic .flow { fill: none; stroke: var(--edge); stroke-width: 1.4; stroke-linejoin: round; }
.pic .tip { fill: var(--edge); stroke: none; }
.pic .lbl { fill: var(--answer); font-size: 11px; }
.pic .quorum { fill: var(--soft); }
.pic .shape { fill: var(--card); stroke: var(--edge); stroke-width: 1.5; }
.pic .end .shape { stroke-width: 3.5; }
.pic .sign { fill: none; stroke: var(--soft); stroke-width: 2.2; stroke-linecap: round; }
.pic .icon { fill: none; stroke: var(--soft); stroke-width: 1.2; stroke-linejoin: round; stroke-linecap: round; }
.pic .unknown .shape, .pic .empty .shape { stroke-dasharray: 4 3; }
.pic .unknown .shape { stroke: var(--failed); }
.pic .empty .name { fill: var(--soft); }
.pic .mark { fill: none; stroke: var(--soft); stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.pic .mark .full { fill: var(--soft); stroke: none; }
.pic .count { fill: var(--soft); font-size: 11px; font-weight: 650; }
.pic a { text-decoration: none; cursor: pointer; }
.pic a:hover .shape { stroke-width: 2.5; }
.pic a:focus { outline: none; }
.pic a:focus-visible .shape { stroke-width: 3; }
"""


PAGES = """\
@media print {
  .pic { max-width: 100%; height: auto; print-color-adjust: exact; }
}
@media (forced-colors: active) {
  .pic .shape, .pic .flow, .pic .frame, .pic .lane, .pic .mark, .pic .icon, .pic .sign { stroke: CanvasText; }
  .pic text, .pic .tip { fill: CanvasText; }
}
"""


def _state_rules() -> str:
    lines = []
    for state, wash in WASHES.items():
        colour = "blocked" if state == "skipped" else state
        lines.append(
            f".pic .{state} .shape {{ stroke: var(--{colour}); fill: {_wash(state, wash)}; }}\n"
            f".pic .{state} .count {{ fill: var(--{colour}); }}\n"
            f".pic .{state} .mark {{ stroke: var(--{colour}); }}\n"
            f".pic .{state} .mark .full {{ fill: var(--{colour}); }}\n"
        )
    lines.append(".pic .skipped .shape { stroke-dasharray: 5 3; }\n.pic .skipped .name { fill: var(--soft); }\n")
    lines.append(".pic .doing .shape, .pic .failed .shape { stroke-width: 2.2; }\n")
    return "".join(lines)


def _wash(state: str, light: str) -> str:
    return "var(--card)" if light == "#ffffff" else f"color-mix(in srgb, var(--{state}) 9%, var(--card))"


def sheet() -> str:
    """The rules for pages, colours by the page's tokens."""
    return RULES + _state_rules() + PAGES


def plain() -> str:
    """The rules for files, colours written out."""
    text = RULES + _state_rules()
    for state, wash in WASHES.items():
        text = text.replace(f"color-mix(in srgb, var(--{state}) 9%, var(--card))", wash)
    return re.sub(r"var\(--([a-z]+)\)", lambda found: TOKENS[found[1]], text)


if __name__ == "__main__":
    print(sheet(), end="")
