"""Where a `script` cell leads, by its text alone: the jobs directory is a jail (semantics, section 9.7)."""

import re

_DRIVE = re.compile(r"[A-Za-z]:(?!:)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def why_it_leaves(script: str) -> str:
    """Say why the text leads out of the jobs directory, `""` if it does not."""
    if _CONTROL.search(script):
        return "it holds a control character"
    if "\\" in script:
        return "it holds a backslash"
    if script.startswith("/"):
        return "it is an absolute path"
    if _DRIVE.match(script):
        return "it starts with a drive letter"
    segments = script.split("/")
    if ".." in map(str.strip, segments):
        return "it climbs out with `..`"
    if any(segment.startswith("~") for segment in segments):
        return "it holds a home directory (`~`)"
    return ""
