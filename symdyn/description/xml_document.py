"""A hostile XML file to a tree: no document type, no entities, no network, bounded depth."""

from __future__ import annotations

import re
from typing import cast

from lxml import etree

from symdyn.description.encoding import decode
from symdyn.description.xacro import refusal
from symdyn.errors import DescriptionError

_DECLARATION = re.compile(r"\s+<\?xml\s[^<>]*\?>")


def parse_xml(data: bytes, source: str) -> etree._Element:
    """Root element of an XML document; comments and processing instructions are left out.

    Names in the root's own namespace (a plain ``xmlns=...``) lose it, so that they compare with URDF's names.

    Raises
    ------
    DescriptionError
        A document type declaration, an unknown encoding, or malformed XML (with line and column).
    """
    # libxml2 skips a byte order mark of its own, behind which a document type could hide.
    text = _without_declaration(decode(data, source).lstrip("\ufeff"))
    _refuse_doctype(text, source)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError as failure:
        line, column = failure.position
        if "prefix xacro" in failure.msg:
            raise refusal(source, line, "the prefix 'xacro:'") from failure
        raise DescriptionError(
            f"{source}:{line}: not well-formed XML at column {column}: {failure.msg}; correct the markup there"
        ) from failure
    assert root.getroottree().docinfo.internalDTD is None
    _drop_namespace(root)
    return root


def line_of(element: etree._Element) -> int | None:
    """Line of an element's start tag."""
    return cast("int | None", element.sourceline)


def local_name(tag: str) -> str:
    """A tag or attribute name without its namespace."""
    return tag.rpartition("}")[2]


def _without_declaration(text: str) -> str:
    # Many tools write a blank line before the declaration, which XML forbids. What it said of the encoding is done;
    # spaces in its place keep lines and columns.
    declaration = _DECLARATION.match(text)
    if declaration is None:
        return text
    blanks = "".join(character if character == "\n" else " " for character in declaration[0])
    return blanks + text[declaration.end() :]


def _refuse_doctype(text: str, source: str) -> None:
    # A document type can stand only before the root element, after white space, comments and instructions.
    position = 0
    while True:
        while position < len(text) and text[position].isspace():
            position += 1
        if text.startswith("<?", position):
            end = text.find("?>", position + 2)
        elif text.startswith("<!--", position):
            end = text.find("-->", position + 4)
        elif text.startswith("<!", position):
            line = text.count("\n", 0, position) + 1
            raise DescriptionError(
                f"{source}:{line}: a DOCTYPE declaration is refused, because entities can read files and exhaust "
                "memory; delete it and write the values out"
            )
        else:
            return
        if end < 0:
            return
        position = text.index(">", end) + 1


def _drop_namespace(root: etree._Element) -> None:
    tag = str(root.tag)
    if not tag.startswith("{"):
        return
    namespace = tag[1:].partition("}")[0]
    for element in root.iter(f"{{{namespace}}}*"):
        element.tag = local_name(str(element.tag))
