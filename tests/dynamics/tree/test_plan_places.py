"""Every plan reads and writes inside of its fields, at places as many as its kernels give and take.

A place before the start of a field would be a place at its end to Python, and any place at all to C.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.robots.flexible import branched
from support.robots.random_trees import make_robot
from support.robots.small import loaded
from support.robots.table import TREES

import symdyn
from symdyn.description.robot import JointKind
from symdyn.errors import SymdynError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.entry import CatalogueEntry
from symdyn.interface.options import RequestOptions
from symdyn.plan.plan import Access, FieldKind, Given, Mode, Plan
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

ROBOTS = {
    "branches": lambda: loaded(TREES["two arms"].described()),
    "floating": lambda: loaded(TREES["arms on a float"].described()),
    "couplings": lambda: loaded(TREES["six couplings"].described()),
    "run-time masses": lambda: symdyn.load_example("seven_dof_arm", runtime=("link_3.mass",)),
    "springs": lambda: symdyn.load_example("elastic_arm"),
    "beams": lambda: loaded(branched()),
    "loops": lambda: symdyn.load_example("five_bar"),
}


def asked(entry: CatalogueEntry, robot: Robot) -> Iterator[RequestOptions]:
    """Some ways of asking for a function, all that a robot refuses among them."""
    order, external = 1 if "order" in entry.takes else 0, "world" if "external_wrenches" in entry.takes else None
    rows = robot.velocity_names
    for formulation in ("body", "spatial") if "formulation" in entry.takes else (None,):
        for prescribed in (rows[:1], rows[-1:], rows) if "prescribed" in entry.takes else (None,):
            yield RequestOptions(
                order=order, external_wrenches=external, prescribed=prescribed, formulation=formulation
            )
    if "factorization" in entry.takes:
        yield RequestOptions(factorization="lemma1")


def check_places(plan: Plan) -> None:
    sizes = {field.name: field.size for field in plan.fields}
    kinds = {field.name: field.kind for field in plan.fields}
    for sweep in plan.sweeps:
        modes = {port.name: port.mode for port in sweep.step.ports}
        for visit in sweep.visits:
            assert visit.bindings.keys() <= modes.keys(), (plan.name, sweep.step.name)
            for name, access in visit.bindings.items():
                where = (plan.name, sweep.step.name, visit.body, name, access)
                if isinstance(access, Given):
                    assert modes[name] is Mode.READ, where
                    continue
                assert all(0 <= place < sizes[access.field] for place in access.places), where
                assert modes[name] is Mode.READ or kinds[access.field] in (FieldKind.STATE, FieldKind.OUTPUT), where
            for name, value in visit.constants.items():
                if isinstance(value, Access):
                    assert value.count == 1 and 0 <= value.offset < sizes[value.field], (plan.name, name, value)


@pytest.mark.parametrize("name", ROBOTS)
def test_places_lie_in_their_fields(name: str) -> None:
    robot = ROBOTS[name]()
    plans = 0
    for entry in CATALOGUE.values():
        for options in asked(entry, robot):
            try:
                ((_, request),) = requests(robot.model, [entry.name], **options)
                entry.signature(robot.model, request)
                plan = entry.plan(robot.model, request)
            except SymdynError:
                continue  # not for such robots
            check_places(plan)
            plans += 1
    assert plans >= 20


def test_pieces_of_long_rows_hold_something() -> None:
    """Rows of 35 and of 3 scalars that are summed together, in pieces of 16."""
    parents = [*range(35), 1, 36]
    robot = loaded(make_robot(parents, [JointKind.REVOLUTE] * len(parents), 4, mimics=False, drives=False))
    ((entry, request),) = requests(robot.model, ["mass_matrix_inverse"])
    plan = entry.plan(robot.model, request)
    check_places(plan)
    visits = [visit for sweep in plan.sweeps for visit in sweep.visits]
    assert len(visits) > 1000
    assert all(access.count > 0 for visit in visits for access in visit.bindings.values() if isinstance(access, Access))


@pytest.mark.parametrize("arms", [1, 3])
def test_products_of_partial_derivatives_leave_out_what_no_arm_shares(arms: int) -> None:
    """A column of dID/dq has zeros at the rows of other arms: products run over the two rows of one arm."""
    parents = [parent for arm in range(arms) for parent in (0, 2 * arm + 1)]
    robot = loaded(make_robot(parents, [JointKind.REVOLUTE] * len(parents), 4, mimics=False, drives=False))
    ((entry, request),) = requests(robot.model, ["forward_dynamics_partials"])
    sweeps = [sweep for sweep in entry.plan(robot.model, request).sweeps if sweep.step.name == "product"]
    bindings = [visit.bindings for sweep in sweeps for visit in sweep.visits]
    assert len(bindings) > 8
    assert {bound["left_0"].count for bound in bindings} == {bound["right_0"].count for bound in bindings} == {2}


def test_steps_of_single_rows_stand_for_no_body() -> None:
    """Branches that are alike are found by their bodies' visits: what belongs to none must not count for the first."""
    robot = symdyn.load_example("double_pendulum")
    ((entry, request),) = requests(robot.model, ["inverse_dynamics_rate_terms"])
    sweeps = entry.plan(robot.model, request).sweeps
    rows = [sweep.visits for sweep in sweeps if sweep.step.name in ("without_jerk", "force_rate")]
    assert rows and {visit.body for visits in rows for visit in visits} == {-1}


@pytest.mark.parametrize("name", ["floating", "branches"])
def test_fields_between_steps_are_read(name: str) -> None:
    """What a plan keeps for itself, some step needs."""
    robot = ROBOTS[name]()
    ((entry, request),) = requests(robot.model, ["inverse_dynamics_time_derivatives"], order=2)
    plan = entry.plan(robot.model, request)
    read = {
        value.field
        for sweep in plan.sweeps
        for visit in sweep.visits
        for port, value in [*visit.bindings.items(), *visit.constants.items()]
        if isinstance(value, Access) and (port in visit.constants or sweep.step.port(port).mode is not Mode.WRITE)
    }
    assert {field.name for field in plan.fields_of(FieldKind.STATE)} <= read
