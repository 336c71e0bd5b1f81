"""Files that hold an optimal-control problem and no robot."""

from __future__ import annotations

from symdyn.description.control.problem import OptimalControlProblem
from symdyn.description.yaml.document import parse_document
from symdyn.description.yaml.read import valid
from symdyn.description.yaml.read_control import read_control
from symdyn.description.yaml.schema import ControlYaml
from symdyn.description.yaml.values import YamlValues


def parse_problem(data: bytes, source: str) -> OptimalControlProblem:
    """The problem of a file of its own.

    Raises
    ------
    DescriptionError
        Malformed YAML, an unknown key, a value that is refused.
    """
    document = parse_document(data, source)
    found = read_control(valid(ControlYaml, document, source).control, YamlValues(document, source), source)
    assert found is not None
    return found
