"""Plans, signatures, manifests, errors and the version: what both halves exchange."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn import errors
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.errors import SymdynError, SymdynWarning, VerificationError
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.signature import Argument, Signature
from symdyn.plan.plan import Access, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan

TABLE = Argument("table", (2, 3), (("a", "b"), ("x", "y", "z")), ("m",), "a table")
PLAIN = Argument("v", (2,), (("elbow", "wrist.vx"),), ("rad/s", "m/s"), "velocities")
MADE = Signature("arm", "f", (PLAIN,), (TABLE,), "A function", {"convention": "pinocchio", "prescribed": ("a, b", "c")})
ENTRY = FunctionEntry(MADE, "arm_f", "f", 12, "rolled", {"mul": 3, "add": 2}, 5)
MANIFEST = Manifest(
    "arm é",
    "arm",
    "1.2",
    "c",
    "float32",
    (ENTRY,),
    ("arm_f.c",),
    "arm.h",
    False,
    {"gravity": [0.0, 0.0, -9.81]},
    ("arm_f_lanes.c",),
    {"arm.h": "0" * 64, "python/arm.py": "1" * 64},
    {
        "functions": ["f"],
        "layout": "auto",
        "dtype": "float32",
        "order": 0,
        "external_wrenches": None,
        "prescribed": ["a, b", "c"],
        "factorization": None,
        "formulation": None,
        "inputs": None,
    },
)


def test_arguments_name_their_elements_in_row_major_order() -> None:
    assert TABLE.size == 6
    assert TABLE.element_names == ("a,x", "a,y", "a,z", "b,x", "b,y", "b,z")
    assert TABLE.element_units == ("m",) * 6
    assert PLAIN.element_names == ("elbow", "wrist.vx") and PLAIN.element_units == ("rad/s", "m/s")
    scalar = Argument("energy", (), (), ("J",), "a scalar")
    assert (scalar.size, scalar.element_names, scalar.element_units) == (1, ("",), ("J",))


@pytest.mark.parametrize(("shape", "units"), [((3,), ("m",)), ((2, 1), ("m",)), ((2,), ("m",) * 3)])
def test_arguments_that_contradict_themselves(shape: tuple[int, ...], units: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError):
        Argument("v", shape, (("a", "b"),), units, "")


def test_records_survive_the_round_trip() -> None:
    assert Signature.from_dict(json.loads(json.dumps(MADE.to_dict()))) == MADE
    text = MANIFEST.to_json()
    assert Manifest.from_json(text) == MANIFEST
    assert text.isascii() and text.endswith("}\n") and Manifest.from_json(text).to_json() == text
    assert MADE.input("v") is PLAIN and MANIFEST.function("f") is ENTRY


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99}, "manifest.json has format 99, expected 2; generate it anew"),
        ({"functions": None}, r"not a manifest of symdyn \(functions is None, expected a list\)"),
        ({"functions": [{}]}, r"not a manifest of symdyn \(functions\[0\] lacks 'batch_work_size'\)"),
        ({"robot": ...}, r"not a manifest of symdyn \(it lacks 'robot'\)"),
        ({"robot": ["arm"]}, r"\(robot is \['arm'\], expected a text\)"),
        ({"robot": "\ud800"}, "expected a text without lone surrogates"),
        ({"format": ...}, r"not a manifest of symdyn \(it lacks 'format'\)"),
        ({"extra": 1}, r"\(it has 'extra', which is not known\)"),
        ({"sources": ["../evil.c"]}, r"\(sources\[0\] is '../evil.c', expected a path inside the folder\)"),
        ({"files": {"../../x": "0" * 64}}, "a key of files is '../../x', expected a path inside the folder"),
        ({"files": {"/etc/passwd": "0" * 64}}, "expected a path inside the folder"),
        ({"files": {"notes.txt": "0" * 64}}, "a key of files is 'notes.txt', expected a file that is generated for"),
        ({"files": {"arm.h": "0"}}, "files.arm.h is '0', expected a SHA-256 in hexadecimal digits"),
        ({"fp_contract": 1}, "fp_contract is 1, expected true or false"),
        ({"robot": "another arm"}, "manifest.json was changed since it was generated"),
        ({"fp_contract": True}, "manifest.json was changed since it was generated"),
    ],
)
def test_manifests_that_are_none(change: dict[str, Any], message: str) -> None:
    data = json.loads(MANIFEST.to_json())
    for key, value in change.items():
        if value is ...:
            del data[key]
        else:
            data[key] = value
    with pytest.raises(VerificationError, match=message):
        Manifest.from_json(json.dumps(data))


def in_function(**changes: Any) -> str:
    data = json.loads(MANIFEST.to_json())
    data["functions"][0] |= changes
    return json.dumps(data)


def in_argument(**changes: Any) -> str:
    data = json.loads(MANIFEST.to_json())
    data["functions"][0]["signature"]["inputs"][0] |= changes
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (in_function(work_size=-1), r"functions\[0\].work_size is -1, expected a whole number from 0"),
        (in_function(work_size=True), "work_size is True, expected a whole number"),
        (in_function(work_size=10**30), "work_size is 1000.*expected a whole number"),
        (in_function(counts={"mul": 0.5}), r"functions\[0\].counts.mul is 0.5, expected a whole number"),
        (in_argument(shape=[3]), r"inputs\[0\].rows is .* expected as many names as the shape \[3\] has"),
        (in_argument(shape="2"), r"inputs\[0\].shape is '2', expected a list"),
        (in_argument(units=["m"] * 3), r"inputs\[0\].units is .* expected one unit, or one per element"),
        ('{"format": 2, "format": 2}', "a key stands twice in one object"),
        ('{"format": NaN}', "NaN is no number of JSON"),
        ("[" * 200_000, "is not a manifest of symdyn"),
        ('{"format": ' + "9" * 10_000 + "}", "is not a manifest of symdyn"),
    ],
)
def test_manifests_of_the_wrong_shape(text: str, message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        Manifest.from_json(text)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null"])
def test_texts_that_are_no_manifest(text: str) -> None:
    with pytest.raises(VerificationError, match="is not a manifest of symdyn"):
        Manifest.from_json(text)


def test_exit_codes() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SymdynError)]
    assert {kind.__name__: kind.exit_code for kind in kinds if kind.exit_code != 2} == {"InternalError": 1}
    assert len(kinds) == 10
    assert issubclass(SymdynWarning, UserWarning)


def test_one_version() -> None:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == symdyn.__version__


def _swap(variant: Any, algebra: Any, constants: Any, reads: Any) -> dict[str, list[float]]:
    x = reads["x"]
    return {"set": [constants["gain"] * x[1], x[0]], "sum": [x[0] + x[1]]}


STEP = Step("swap", _swap, (Port("x", Mode.READ, "m"), Port("set", Mode.WRITE), Port("sum", Mode.ADD)))


def test_a_plan_runs_its_visits_in_order() -> None:
    fields = (
        Field("x", FieldKind.INPUT, 2),
        Field("s", FieldKind.STATE, 2, 2),
        Field("y", FieldKind.OUTPUT, 1),
        Field("z", FieldKind.OUTPUT, 2),
    )
    total = Access("y", 0, 1)
    visits = (
        Visit(0, "v", {"gain": 10.0}, {"x": Access("x", 0, 2), "set": Access("s", 2, 2), "sum": total}),
        # The gain is what the first visit computed, and the state is read back.
        Visit(1, "v", {"gain": Access("s", 2, 1)}, {"x": Access("s", 2, 2), "set": Access("z", 0, 2), "sum": total}),
        Visit(2, "v", {"gain": 0.5}, {"x": Given((1.0, 2.0)), "set": Access("s", 0, 2), "sum": total}),
    )
    plan = Plan("p", fields, (Sweep(STEP, visits),), ("a", "b", "c"), (-1, 0, 0))
    assert run_plan(plan, FloatAlgebra(), {"x": [3.0, 4.0]}) == {"y": [53.0], "z": [120.0, 40.0]}
    assert plan.field("s").size == 4
    assert [field.name for field in plan.fields_of(FieldKind.OUTPUT)] == ["y", "z"]
    assert STEP.port("x").unit == "m"


def test_a_plan_refuses_inputs_of_another_size() -> None:
    plan = Plan("p", (Field("x", FieldKind.INPUT, 2),), (), (), ())
    with pytest.raises(AssertionError):
        run_plan(plan, FloatAlgebra(), {"x": [1.0]})
