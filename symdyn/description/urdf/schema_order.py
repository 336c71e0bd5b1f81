"""A URDF tree cut down to its schema."""

from __future__ import annotations

from typing import get_args

from lxml import etree
from pydantic_xml import BaseXmlModel


def declared(model: type[BaseXmlModel]) -> tuple[dict[str, tuple[bool, type[BaseXmlModel]]], set[str]]:
    """Child elements (at most one?, model) in order, and attributes, that a schema model declares."""
    children: dict[str, tuple[bool, type[BaseXmlModel]]] = {}
    attributes: set[str] = set()
    for name, field in model.model_fields.items():
        candidates = (field.annotation, *get_args(field.annotation))
        nested = [item for item in candidates if isinstance(item, type) and issubclass(item, BaseXmlModel)]
        if nested:
            children[name] = (... not in candidates, nested[0])
        else:
            attributes.add(name)
    return children, attributes


def arrange(root: etree._Element, model: type[BaseXmlModel]) -> None:
    """Keep only the declared elements under ``root``, each kind in the order of the file, kinds in that of the schema.

    pydantic-xml would otherwise have to search among mixed elements, which exchanges repeated ones, and would copy
    every shape and plug-in that nobody reads.
    """
    waiting = [(root, model)]
    while waiting:
        element, schema = waiting.pop()
        children, _ = declared(schema)
        order = {tag: index for index, tag in enumerate(children)}
        element[:] = sorted((child for child in element if child.tag in order), key=lambda child: order[str(child.tag)])
        waiting.extend((child, children[str(child.tag)][1]) for child in element)
