"""What can be asked for, and the signature of inverse dynamics: names, units, shapes, options."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from support.parts import OF_RIGID_ROBOTS, OF_SOFT_LINKS
from support.robots.small import X, described, joint, loaded, massive
from support.soft_calls import soft_robot

import symdyn
from symdyn import api
from symdyn.description.robot import JointKind, Link
from symdyn.errors import RequestError
from symdyn.functions import families
from symdyn.functions.catalogue import CATALOGUE, find_functions, requests
from symdyn.functions.parts import ELASTIC_JOINTS, SOFT_LINKS
from symdyn.functions.request import Request
from symdyn.interface.field_words import FIELD_WORDS
from symdyn.interface.options import FunctionOptions, GenerateOptions
from symdyn.interface.signature import Signature
from symdyn.model.joints import ROTOR
from symdyn.plan.plan import FieldKind
from symdyn.robot.robot import Robot


def crane(**options: Any) -> Robot:
    joints = [
        joint("slew", JointKind.REVOLUTE, "base", "jib"),
        joint("trolley", JointKind.PRISMATIC, "jib", "car", axis=X),
        joint("hook", JointKind.SPHERICAL, "car", "load"),
    ]
    return loaded(described([Link("base"), massive("jib"), massive("car"), massive("load")], joints), **options)


def signature(robot: Robot, external: str = "") -> Signature:
    return CATALOGUE["inverse_dynamics"].signature(robot.model, Request(external))


def test_entries_are_named_and_told_in_a_sentence() -> None:
    for name, entry in CATALOGUE.items():
        assert entry.name == name and entry.sentence.endswith(".")


def symbols(listed: str) -> list[str]:
    """The arguments that a sentence lists: of ``V = v, v', .. v^(r+1)`` the one that holds them all."""
    plain = (word for word in listed.split(", ") if not word.startswith("..") and not word.endswith("'"))
    return [word.partition(" = ")[0] for word in plain]


@pytest.mark.parametrize("name", [entry.name for entry in families.ENTRIES])
def test_sentences_of_dynamics_list_the_arguments(name: str) -> None:
    entry, robot = CATALOGUE[name], symdyn.load_example("quadruped")
    made = entry.signature(robot.model, Request(prescribed=(0,) if entry.demands else ()))
    given, _, found = entry.sentence.removesuffix(".").rpartition(": ")[2].partition(" -> ")
    assert symbols(given) == [own.name for own in made.inputs]
    assert symbols(found) == [own.name for own in made.outputs]
    assert made.function == name and made.description.endswith(".")


@pytest.mark.parametrize("external", ["", "body", "world"])
def test_plans_and_signatures_name_the_same_arrays(external: str) -> None:
    for entry in (CATALOGUE[name] for name in (*OF_RIGID_ROBOTS, *OF_SOFT_LINKS)):
        springs = entry.needs is ELASTIC_JOINTS
        robot = symdyn.load_example("elastic_arm") if springs else crane(runtime=["load.mass"])
        robot = soft_robot("arm") if entry.needs is SOFT_LINKS else robot
        request = Request(
            external if "external_wrenches" in entry.takes else "", (0,) if "prescribed" in entry.takes else ()
        )
        plan, made = entry.plan(robot.model, request), entry.signature(robot.model, request)
        for kind, arguments in ((FieldKind.INPUT, made.inputs), (FieldKind.OUTPUT, made.outputs)):
            assert {field.name: field.size for field in plan.fields_of(kind)} == {
                argument.name: argument.size for argument in arguments
            }
        bodies = [body.name for body in robot.model.bodies if not springs or body.joint.kind != ROTOR]
        assert plan.bodies == tuple(bodies) and plan.parent == robot.model.parent[: len(bodies)]


def test_arguments_of_inverse_dynamics() -> None:
    found = signature(crane())
    assert [argument.name for argument in found.inputs] == ["q", "v", "a"]
    q, v, a = found.inputs
    (tau,) = found.outputs
    rates = ("slew", "trolley", "hook.wx", "hook.wy", "hook.wz")
    assert q.element_names == ("slew", "trolley", "hook.qx", "hook.qy", "hook.qz", "hook.qw")
    assert q.element_units == ("rad", "m", "1", "1", "1", "1")
    assert v.element_names == a.element_names == tau.element_names == rates
    assert v.units == ("rad/s", "m/s", "rad/s", "rad/s", "rad/s")
    assert a.units == ("rad/s^2", "m/s^2", "rad/s^2", "rad/s^2", "rad/s^2")
    assert tau.units == ("N m", "N", "N m", "N m", "N m")
    assert found.options == {
        "convention": "pinocchio",
        "gravity": "0.0 0.0 -9.81",
        "joint_losses": "left out",
        "external_wrenches": "none",
        # m, h_z and S_zz of the jib, all of S of the car, and m of the load.
        "regrouping": "10 inertial parameters are counted with the parent body",
        "regrouping of jib": "3 parameters moved to the ground",
        "regrouping of car": "6 parameters moved to jib",
        "regrouping of load": "1 parameter moved to car",
    }


@pytest.mark.parametrize(
    ("convention", "rows", "units"),
    [
        ("pinocchio", ("fx", "fy", "fz", "mx", "my", "mz"), ("N",) * 3 + ("N m",) * 3),
        ("spatial", ("mx", "my", "mz", "fx", "fy", "fz"), ("N m",) * 3 + ("N",) * 3),
    ],
)
def test_external_wrenches_and_parameters(convention: str, rows: tuple[str, ...], units: tuple[str, ...]) -> None:
    robot = crane(convention=convention, runtime=["load.mass", "gravity.y"], joint_losses=True, gravity=(1, 2, 3))
    found = signature(robot, "world")
    assert [argument.name for argument in found.inputs] == ["q", "v", "a", "f_ext", "p"]
    wrench, p = found.input("f_ext"), found.input("p")
    assert wrench.shape == (3, 6) and wrench.rows == (("jib", "car", "load"), rows)
    assert wrench.element_names[6] == f"car,{rows[0]}" and wrench.element_units == units * 3
    assert "world axes" in wrench.description
    assert (p.shape, p.element_names, p.units) == ((2,), ("load.mass", "gravity.y"), ("kg", "m/s^2"))
    assert found.options == {
        "convention": convention,
        "gravity": "1.0 p 3.0",
        "joint_losses": "included",
        "external_wrenches": "world",
        "regrouping": "9 inertial parameters are counted with the parent body",  # the load's mass is not known yet
        "regrouping of jib": "3 parameters moved to the ground",
        "regrouping of car": "6 parameters moved to jib",
    }


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"names": []}, r"functions is a list of at least one name, got \[\]; try \['inverse_dynamics'\]"),
    ({"names": None}, r"functions is a list of at least one name, got None; try"),
    ({"names": ["gravity", ["bias"]]}, r"functions is a list of at least one name, got \['gravity', \['bias'\]\]"),
    ({"prescribed": [3]}, r"prescribed is a list of velocity names, got \[3\]"),
    ({"names": ["zzz"]}, r"function 'zzz' is not in the catalogue; 'symdyn functions' lists all \d+"),
    (
        {"names": ["RNEA"]},
        r"'RNEA' is not in the catalogue; did you mean 'inverse_dynamics'\? 'symdyn functions' lists",
    ),
    ({"names": ["jacobian"]}, r"function 'jacobian' is not in the catalogue; did you mean 'jacobians'\?"),
    ({"names": ["inverse_dynamics"] * 2}, r"functions are named twice in .*; name each once"),
    ({"order": -1}, r"order is a whole number from 0, got -1"),
    ({"order": "1"}, r"order is a whole number from 0, got '1'"),
    ({"order": 0.5}, r"order is a whole number from 0, got 0.5"),
    ({"order": 2}, r"function 'inverse_dynamics' has no time derivatives, so order must be 0, got 2"),
    ({"external_wrenches": "tool"}, r"external_wrenches is 'body' or 'world', got 'tool'"),
]


@pytest.mark.parametrize(("request_", "message"), REFUSED)
def test_refused_requests(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        requests(crane().model, **{"names": ["inverse_dynamics"], **request_})


def test_words_of_the_field_mean_functions_that_there_are() -> None:
    assert set(FIELD_WORDS.values()) <= set(CATALOGUE)
    assert not set(FIELD_WORDS) & set(CATALOGUE)


def test_names_with_commas_are_several() -> None:
    robot = crane().model
    asked = {"prescribed": ("slew,trolley",), "actuated": ("trolley, slew", "hook.wz")}
    found = Request.of(robot, asked)
    assert (found.prescribed, found.actuated) == ((0, 1), (0, 1, 4))
    with pytest.raises(RequestError, match="prescribed velocity 'x' is unknown"):
        Request.of(robot, {"prescribed": ("slew,x",)})
    assert GenerateOptions.checked("gravity, bias").functions == ("gravity", "bias")
    assert GenerateOptions.checked(["gravity"], steppers=["rk4, dop853"]).steppers == ("rk4", "dop853")
    together = loaded(described([Link("base"), massive("a")], [joint("x,y", JointKind.REVOLUTE, "base", "a")])).model
    assert Request.of(together, {"prescribed": ("x,y",)}).prescribed == (0,)


def test_options_that_a_function_does_not_have_are_not_dropped() -> None:
    robot = crane()
    for ask in (api.symbolic, api.closed_form, api.float_recursion):
        with pytest.raises(RequestError, match=r"(option|argument) 'layout'.*; .*external_wrenches, prescribed"):
            ask(robot, "gravity", layout="rolled")
    with pytest.raises(RequestError, match="option 'layouts' is not known here; there are functions, target, layout,"):
        api.sources(robot, ["gravity"], layouts="rolled")


def test_order_is_for_the_functions_that_have_one() -> None:
    found = requests(crane().model, ["mass_matrix", "inverse_dynamics_time_derivatives"], order=3)
    assert [request.order for _, request in found] == [0, 3]
    with pytest.raises(
        RequestError, match="functions 'mass_matrix', 'gravity' have no time derivatives, so order must"
    ):
        requests(crane().model, ["mass_matrix", "gravity"], order=3)


def test_one_name_needs_no_list() -> None:
    ((entry, _),) = requests(crane().model, "inverse_dynamics")
    assert (entry,) == find_functions(["inverse_dynamics"])


def test_entries_come_in_the_order_asked_for() -> None:
    found = requests(crane().model, ["mass_matrix", "inverse_dynamics"], external_wrenches="body")
    assert [(entry.name, request.external) for entry, request in found] == [
        ("mass_matrix", ""),
        ("inverse_dynamics", "body"),
    ]


def test_requests_reach_the_catalogue_through_the_api() -> None:
    robot = crane()
    with pytest.raises(RequestError, match="not in the catalogue"):
        api.programs(robot, ["dance"])
    with pytest.raises(RequestError, match="dtype 'float16' is unknown; choose one of float64, float32"):
        api.programs(robot, ["inverse_dynamics"], dtype="float16")
    with pytest.raises(RequestError, match="layout 'flat' is unknown"):
        api.sources(robot, ["inverse_dynamics"], layout="flat")
    with pytest.raises(RequestError, match="target 'rust'"):
        api.sources(robot, ["inverse_dynamics"], target="rust")
    with pytest.raises(RequestError, match="external_wrenches is 'body' or 'world', got 'base'"):
        api.symbolic(robot, "inverse_dynamics", external_wrenches="base")


def test_what_may_be_asked_is_the_same_from_keywords_to_requests() -> None:
    """Public functions, command line, header and manifest follow from the records alone."""
    told = {item.name: item for item in fields(GenerateOptions) if "help" in item.metadata}
    assert set(FunctionOptions.__annotations__) | {"order"} == set(told)
    taken = {name for entry in CATALOGUE.values() for name in entry.takes}
    assert taken == set(told)
    usual = {("external_wrenches" if item.name == "external" else item.name): item.default for item in fields(Request)}
    assert set(usual) == set(told)
    for name, item in told.items():
        choices = item.metadata.get("choices", ())
        assert name == "external_wrenches" or not choices or usual[name] in choices, name


@pytest.mark.parametrize(
    ("function", "asked"),
    [
        ("coriolis_matrix", {"factorization": "lemma1"}),
        ("inverse_dynamics_time_derivatives", {"formulation": "spatial"}),
    ],
)
def test_words_that_are_asked_for_are_recorded_and_told_again(function: str, asked: dict[str, Any]) -> None:
    model = symdyn.load_example("seven_dof_arm").model
    order = {"order": 1} if "order" in CATALOGUE[function].takes else {}
    ((entry, request),) = requests(model, [function], **asked, **order)
    options = entry.signature(model, request).options
    assert {name: options[name] for name in asked} == asked
    assert entry.recorded(options) == asked | order
    ((_, plain),) = requests(model, [function])
    assert asked.keys().isdisjoint(entry.signature(model, plain).options)
