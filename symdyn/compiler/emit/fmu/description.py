"""The XML of a unit: modelDescription.xml, and how to build its sources.

Units of arguments in powers of base units, as simulation tools compare and convert them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from xml.etree import ElementTree

from symdyn.compiler.emit.fmu.variables import Unit, Variable, variables
from symdyn.compiler.emit.names import comment

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_DERIVED: Mapping[str, Mapping[str, int]] = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
}
_WORD = re.compile(r"\s*(?:(?P<sign>[/()])|(?P<name>[A-Za-z]+|1)(?:\^(?P<power>-?\d+))?)")


def base_powers(unit: str) -> Mapping[str, int] | None:
    """Powers of base units, such as ``{"kg": 1, "m": 2, "s": -2}`` of ``N m``; None for a unit that is not known.

    A space multiplies, and ``/`` divides by the word or the parentheses after it.
    """
    found: Counter[str] = Counter()
    at, below, group = 0, False, 0
    while unit[at:].strip():
        word = _WORD.match(unit, at)
        if word is None:
            return None
        at = word.end()
        sign, name = word["sign"], word["name"]
        if sign == "/":
            below = True
        elif sign == "(":
            group += 1
        elif sign == ")":
            group -= 1
            below = False
        else:
            known = {} if name == "1" else {name: 1} if name in BASE else _DERIVED.get(name)
            if known is None:
                return None
            for base, power in known.items():
                found[base] += power * int(word["power"] or 1) * (-1 if below else 1)
            below = below and group > 0
    return {name: found[name] for name in BASE if found[name]}


_ABLE = {
    "canGetAndSetFMUState": "true",
    "canSerializeFMUState": "true",
    "providesDirectionalDerivatives": "true",
    "providesAdjointDerivatives": "true",
}


def model_description(
    unit: Unit, token: str, added: Iterable[Variable], gaps: Iterable[Variable], steps: bool, exchanged: bool
) -> str:
    """``modelDescription.xml``; ``added`` are settings of the stepper, which is there if ``steps``.

    Solvers of tools may move what is ``exchanged``.
    """
    contents = unit.contents
    root = ElementTree.Element(
        "fmiModelDescription",
        {
            "fmiVersion": "3.0",
            "modelName": comment(contents.robot) or contents.identifier,
            "instantiationToken": token,
            "generationTool": f"symdyn {contents.version}",
            "variableNamingConvention": "flat",
        },
    )
    own = {"modelIdentifier": contents.identifier}
    if exchanged:
        ElementTree.SubElement(root, "ModelExchange", {**own, **_ABLE})
    if steps:
        ElementTree.SubElement(root, "CoSimulation", {**own, **_ABLE, "canHandleVariableCommunicationStepSize": "true"})
    gaps = list(gaps)
    known = [*variables(unit), *added, *gaps]
    _units(ElementTree.SubElement(root, "UnitDefinitions"), known)
    ElementTree.SubElement(ElementTree.SubElement(root, "LogCategories"), "Category", {"name": "logStatusError"})
    ElementTree.SubElement(root, "DefaultExperiment", {"startTime": "0.0", "stopTime": "1.0", "tolerance": "1e-06"})
    listed = ElementTree.SubElement(root, "ModelVariables")
    for variable in known:
        ElementTree.SubElement(listed, "Float64", _attributes(variable))
    structure = ElementTree.SubElement(root, "ModelStructure")
    _structure(structure, unit, known)
    for variable in gaps:
        ElementTree.SubElement(structure, "EventIndicator", {"valueReference": str(variable.reference)})
    return _text(root)


def build_description(unit: Unit, sources: Iterable[str]) -> str:
    """``buildDescription.xml``: one set of C99 files for both interfaces."""
    root = ElementTree.Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    built = ElementTree.SubElement(
        root, "BuildConfiguration", {"modelIdentifier": unit.contents.identifier, "description": "C99"}
    )
    files = ElementTree.SubElement(built, "SourceFileSet", {"language": "C99"})
    for name in sources:
        ElementTree.SubElement(files, "SourceFile", {"name": name})
    ElementTree.SubElement(built, "Library", {"name": "m", "external": "true"})
    return _text(root)


def _units(parent: ElementTree.Element, known: Iterable[Variable]) -> None:
    for name in dict.fromkeys(variable.unit for variable in known if variable.unit):
        powers = base_powers(name)
        element = ElementTree.SubElement(parent, "Unit", {"name": comment(name)})
        if powers is not None:
            ElementTree.SubElement(element, "BaseUnit", {base: str(power) for base, power in powers.items()})


def _attributes(variable: Variable) -> dict[str, str]:
    found: dict[str, str | None] = {
        "name": variable.name,
        "valueReference": str(variable.reference),
        "causality": variable.causality,
        "variability": variable.variability,
        "initial": None if variable.causality in ("input", "independent") else variable.initial,
        "start": None if variable.start is None else repr(float(variable.start)),
        "unit": comment(variable.unit) or None,
        "derivative": None if variable.rate_of is None else str(variable.rate_of),
    }
    return {name: value for name, value in found.items() if value is not None}


def _structure(parent: ElementTree.Element, unit: Unit, known: Iterable[Variable]) -> None:
    """Outputs are states and rest on themselves; rates of q on their joint's rows, accelerations on all."""
    known, moved_by = list(known), unit.moved_by
    for variable in known:
        if variable.causality == "output":
            words = {"valueReference": str(variable.reference), "dependencies": str(variable.reference)}
            ElementTree.SubElement(parent, "Output", {**words, "dependenciesKind": "constant"})
    given = [
        variable.reference
        for variable in known
        if variable.causality in ("output", "input") and variable.variability != "discrete"
    ]
    tuned = [variable.reference for variable in known if variable.variability == "tunable"]
    for kind, all_of_them in (("ContinuousStateDerivative", given), ("InitialUnknown", given + tuned)):
        for variable in known:
            if variable.rate_of is not None:
                references = moved_by.get(variable.reference, all_of_them)
                words = {"valueReference": str(variable.reference), "dependencies": " ".join(map(str, references))}
                ElementTree.SubElement(parent, kind, words)


def _text(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
