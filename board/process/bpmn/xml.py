"""Reading strange XML safely: no document type, no entities, no network, no endless files.

The document type is refused by a first, cheap reading that stops at the root element, so an
entity is never even declared. Every reason names the line where there is one.
"""

import re
from collections.abc import Iterator
from xml.parsers import expat

from lxml import etree

from board.process.definition.unreadable import Unreadable

Element = etree._Element

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
BPMNDI = "http://www.omg.org/spec/BPMN/20100524/DI"
DC = "http://www.omg.org/spec/DD/20100524/DC"
DI = "http://www.omg.org/spec/DD/20100524/DI"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
OWN = "urn:foldboard:bpmn:1"
DRAWN_AS = "bpmn_id"  # the column for the id an element has in the drawing it came from

LIMIT_BYTES = 20_000_000
_DOCUMENT_TYPE = (
    "The file declares a document type (DOCTYPE); BPMN needs none, and it can hide harmful entities.",
    "Remove the declaration.",
)
_ANOTHER = "Choose a BPMN 2.0 file (.bpmn), or save the drawing as one."
_MEGABYTE = 1_000_000
_BLANK_START = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t\r\n]+(?=<)")
_POSITION = re.compile(r"(?:, line \d+, column \d+)?(?: \([^)]*\))?$")


class _Stop(Exception):
    """Ends the first reading at the root element."""


def parse(data: bytes, limit_bytes: int = LIMIT_BYTES) -> Element:
    """Parse bytes to the root element `definitions`; raises Unreadable."""
    if len(data) > limit_bytes:
        size, most = len(data) / _MEGABYTE, limit_bytes / _MEGABYTE
        raise Unreadable(f"The file has {size:.1f} MB; at most {most:g} MB are read.", "Split it, or remove pictures.")
    data = _BLANK_START.sub(b"", data)
    if not data.strip():
        raise Unreadable("The file is empty.", _ANOTHER)
    _refuse_document_type(data)
    root = _tree(data)
    if root.tag != f"{{{BPMN}}}definitions":
        raise Unreadable(_no_bpmn(root), _ANOTHER)
    return root


def _refuse_document_type(data: bytes) -> None:
    reader = expat.ParserCreate()

    def document_type(*_: object) -> None:
        raise Unreadable(*_DOCUMENT_TYPE, f"line {reader.CurrentLineNumber}")

    def stop(*_: object) -> None:
        raise _Stop

    reader.StartDoctypeDeclHandler = document_type
    reader.StartElementHandler = stop
    try:
        reader.Parse(data, True)
    except Unreadable:
        raise
    except (_Stop, expat.ExpatError, LookupError, ValueError, Warning):  # any codec may be named here
        return  # faults of form are told by the second reading, which knows more of them and more encodings


def _tree(data: bytes) -> Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _syntax(error, data) from None
    except (ValueError, LookupError) as error:
        raise Unreadable(f"This is no XML that can be read: {error}.", _ANOTHER) from None
    if getattr(root.getroottree().docinfo, "doctype", ""):
        raise Unreadable(*_DOCUMENT_TYPE)
    return root


def _syntax(error: etree.XMLSyntaxError, data: bytes) -> Unreadable:
    reason = _POSITION.sub("", str(error.msg or error)).strip()
    if not data.lstrip().startswith((b"<", b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")) and b"\x00<" not in data[:4]:
        return Unreadable("This is no XML: it does not begin with `<`.", _ANOTHER)
    remedy = "Mend it there, or save the drawing again."
    if "is not defined" in reason and "prefix" in reason.lower():
        remedy = "Declare the prefix with xmlns:… or remove it."
    return Unreadable(f"This is no well-formed XML: {reason}.", remedy, f"line {error.lineno or 1}")


def _no_bpmn(root: Element) -> str:
    name, namespace = local(root), namespace_of(root)
    if name == "definitions":
        where = f"the namespace {namespace}" if namespace else "no namespace"
        return f"The root element `definitions` has {where}; BPMN 2.0 has {BPMN}."
    return f"The root element is `{name}`; a BPMN 2.0 file has `definitions` there."


def local(element: Element) -> str:
    """Give the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def namespace_of(element: Element) -> str:
    """Give the namespace of an element, `""` for none."""
    tag = str(element.tag)
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


def children(element: Element, name: str = "", namespace: str = BPMN) -> Iterator[Element]:
    """Give the child elements of a namespace, all of them or those of one name (no comments)."""
    return element.iterchildren(f"{{{namespace}}}{name or '*'}")


def first(element: Element, name: str, namespace: str = BPMN) -> Element | None:
    """Give the first child element of that name."""
    return next(children(element, name, namespace), None)


def line(text: str | None) -> str:
    """Give a text as one line: names in drawings are broken to fit their shapes."""
    return " ".join((text or "").split())


def reference(text: str | None) -> str:
    """Give a reference without the prefix that some tools write (`ns:Task_1`)."""
    return (text or "").strip().rpartition(":")[2]


def content(element: Element | None) -> str:
    """Give all text inside an element, trimmed."""
    return "" if element is None else "".join(str(part) for part in element.itertext()).strip()


def truth(element: Element, attribute: str, default: bool = False) -> bool:
    """Read an attribute of true and false."""
    text = element.get(attribute)
    return default if text is None else text.strip().lower() in ("true", "1")
