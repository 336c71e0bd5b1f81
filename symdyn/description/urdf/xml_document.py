"""A hostile XML file to a tree: no document type, no entities, no network, bounded depth."""

from __future__ import annotations

import re
from typing import cast

from lxml import etree

from symdyn.description.text.encoding import decode
from symdyn.description.urdf.xacro import refusal
from symdyn.description.urdf.xml_recovery import (
    ROUNDS,
    is_undeclared_prefix,
    prefix_warnings,
    undeclared_prefixes,
    with_known_version,
    with_prefixes,
    without_stray_tags,
)
from symdyn.errors import DescriptionError

MAX_MARKS = 500_000
"""Most tags, attributes and comments of a file: some 12,000 links. A tree of more takes a minute and gigabytes."""

_DECLARATION = re.compile(r"\s+<\?xml\s[^<>]*\?>")


def parse_xml(data: bytes, source: str) -> tuple[etree._Element, list[str]]:
    """Root element of an XML document, and warnings; comments and processing instructions are left out.

    Names in the root's own namespace (a plain ``xmlns=...``) lose it, so that they compare with URDF's names. Prefixes
    that are declared nowhere stand for namespaces of their own. End tags behind the root's own are left out.

    Raises
    ------
    DescriptionError
        A document type declaration, an unknown encoding, more than MAX_MARKS tags and attributes, or malformed XML
        (with line and column).
    """
    # libxml2 skips a byte order mark of its own, behind which a document type could hide.
    warnings: list[str] = []
    text = with_known_version(_without_declaration(decode(data, source).lstrip("\ufeff")), warnings)
    start = _refuse_doctype(text, source)
    _refuse_marks(text, source)
    prefixes: dict[str, int] = {}
    for _ in range(ROUNDS):
        parser = _parser()
        try:
            root = etree.fromstring(with_prefixes(text, start, prefixes).encode("utf-8"), parser)
            break
        except etree.XMLSyntaxError as failure:
            if (kept := without_stray_tags(text, warnings)) != text:
                text = kept
                continue
            found = undeclared_prefixes(parser.error_log)
            if "xacro" in found or "prefix xacro" in failure.msg:
                raise refusal(source, found.get("xacro", failure.position[0]), "the prefix 'xacro:'") from failure
            if not found.keys() - prefixes.keys():
                raise _malformed(source, parser, failure) from None
            prefixes = found | prefixes
    else:
        raise DescriptionError(
            f"{source}: more than {len(prefixes)} namespace prefixes are declared nowhere; declare them in the root"
        )
    assert root.getroottree().docinfo.internalDTD is None
    _drop_namespace(root)
    return root, [*warnings, *prefix_warnings(prefixes)]


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _malformed(source: str, parser: etree.XMLParser, failure: etree.XMLSyntaxError) -> DescriptionError:
    (line, column), found = failure.position, failure.msg
    if told := [error for error in parser.error_log if not is_undeclared_prefix(error)]:
        line, column, found = told[0].line, told[0].column, told[0].message
    found = " ".join(found.split())  # it may quote lines of the file
    return DescriptionError(
        f"{source}:{line}: not well-formed XML at column {column}: {found}; correct the markup there"
    )


def line_of(element: etree._Element) -> int | None:
    """Line of an element's start tag."""
    return cast("int | None", element.sourceline)


def local_name(tag: str) -> str:
    """A tag or attribute name without its namespace."""
    return tag.rpartition("}")[2]


def tag_of(element: etree._Element) -> str:
    """An element's name as the file has it."""
    name = local_name(str(element.tag))
    return f"{element.prefix}:{name}" if element.prefix else name


def written(element: etree._Element, key: str) -> str:
    """An attribute's name as the file has it, with the prefix of its namespace."""
    namespace, _, name = key.rpartition("}")
    prefixes = (prefix for prefix, uri in element.nsmap.items() if prefix and namespace == "{" + uri)
    return ":".join([*sorted(prefixes)[:1], name])


def _without_declaration(text: str) -> str:
    # Many tools write a blank line before the declaration, which XML forbids. What it said of the encoding is done;
    # spaces in its place keep lines and columns.
    declaration = _DECLARATION.match(text)
    if declaration is None:
        return text
    blanks = "".join(character if character == "\n" else " " for character in declaration[0])
    return blanks + text[declaration.end() :]


def _refuse_doctype(text: str, source: str) -> int:
    """Where the root element begins."""
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
            return position
        if end < 0:
            return position
        position = text.index(">", end) + 1


def _refuse_marks(text: str, source: str) -> None:
    # Counted before there is a tree, which takes hundreds of bytes for each; an end tag counts with its start tag.
    marks = text.count("<") - text.count("</") + text.count("=")
    if marks > MAX_MARKS:
        raise DescriptionError(
            f"{source}: {marks} tags, attributes and comments, at most {MAX_MARKS} are read; split the file up"
        )


def _drop_namespace(root: etree._Element) -> None:
    tag = str(root.tag)
    if not tag.startswith("{"):
        return
    namespace = tag[1:].partition("}")[0]
    for element in root.iter(f"{{{namespace}}}*"):
        element.tag = local_name(str(element.tag))
