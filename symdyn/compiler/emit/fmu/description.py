"""The XML of a unit: modelDescription.xml, and how to build its sources."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from symdyn.compiler.emit.fmu.units import base_powers
from symdyn.compiler.emit.fmu.variables import Unit, Variable, variables
from symdyn.compiler.emit.names import comment

_ABLE = {
    "canGetAndSetFMUState": "true",
    "canSerializeFMUState": "true",
    "providesDirectionalDerivatives": "true",
    "providesAdjointDerivatives": "true",
}


def model_description(unit: Unit, token: str, added: Iterable[Variable], gaps: Iterable[Variable], steps: bool) -> str:
    """``modelDescription.xml``; ``added`` are settings of the stepper, which is there if ``steps``."""
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
    given = [variable.reference for variable in known if variable.causality in ("output", "input")]
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
