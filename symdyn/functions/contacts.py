"""Functions of contacts: how far spheres are from their surfaces, and how fast that changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.contacts.partials import contact_slopes_plan
from symdyn.dynamics.contacts.problem import PUBLIC, contact_problem_plan, factors_of, impacts_of, system_of
from symdyn.dynamics.contacts.rows import contact_gaps_plan as rigid_gaps_plan
from symdyn.dynamics.contacts.rows import contact_jacobian_plan
from symdyn.dynamics.contacts.stance import STANDING, stance_forces_plan
from symdyn.dynamics.contacts.step_ends import END_FIELDS, block_rows
from symdyn.dynamics.kinematics.contact_gaps import contact_gaps_plan, pairs_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.functions import actuation, arguments
from symdyn.functions.dynamics_arguments import given_forces
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import CONTACT_ROWS, CONTACTS
from symdyn.functions.request import Request, is_driven
from symdyn.functions.units import move, per, quotient
from symdyn.functions.values import rows_with_forces
from symdyn.interface.signature import HELD_ROWS, Argument, Signature
from symdyn.model.contact_layout import ContactLayout
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def pair_names(model: Model) -> tuple[str, ...]:
    """``post``, and ``wall[0]``, ``wall[1]``, .. along a soft link."""
    names = [name for name, _ in pairs_of(TreePlan(model))]
    counts, numbers = Counter(names), Counter[str]()
    named = []
    for name in names:
        named.append(f"{name}[{numbers[name]}]" if counts[name] > 1 else name)
        numbers[name] += 1
    return tuple(named)


def _gaps(model: Model, request: Request) -> Signature:
    names = pair_names(model)
    gap = Argument(
        "gap", (len(names),), (names,), ("m",) * len(names), "distance of each sphere from its surface, below 0 a depth"
    )
    rate = Argument("rate", (len(names),), (names,), ("m/s",) * len(names), "rate of each gap, below 0 where it closes")
    return arguments.signature(
        model,
        request,
        "contact_gaps",
        (arguments.coordinates(model), arguments.velocities(model)),
        (gap, rate),
        "Gap between the sphere and the surface of every contact whose place moves, at q, and its rate at v.",
        feels_gravity=False,
    )


_AXES = ("x", "y", "z")


def _layout(model: Model) -> ContactLayout:
    return model.contact_layout


def _rigid_gaps(model: Model, request: Request) -> Signature:
    names = _layout(model).slot_names
    count = len(names)
    where = "point of the moving shape that is closest to the surface, in the world"
    outputs = (
        Argument("gap", (count,), (names,), ("m",) * count, "distance of each slot, below 0 a depth"),
        Argument("point", (count, 3), (names, _AXES), ("m",) * (3 * count), where),
        Argument("normal", (count, 3), (names, _AXES), ("",) * (3 * count), "unit vector out of the surface"),
    )
    return arguments.signature(
        model,
        request,
        "contact_gaps",
        (arguments.coordinates(model),),
        outputs,
        "Gap, point and normal of every slot of the rigid contacts, at q, in the world's axes.",
        feels_gravity=False,
    )


def _joint_units(model: Model) -> list[str]:
    """Units of the velocities of rows of joints."""
    layout = _layout(model)
    rows = [*(row.velocity for row in layout.limits), *(row.velocity for row in layout.dry)]
    return [model.velocity_units[row] for row in rows]


def _row_units(model: Model) -> tuple[str, ...]:
    """Units of the velocities of rows."""
    layout = _layout(model)
    joints = _joint_units(model)
    return (*("m/s",) * layout.first_limit, *joints, *(f"{unit}/s" for unit in model.loop_row_units))


def _slopes(model: Model, name: str, description: str) -> Argument:
    names = (_layout(model).row_names, model.velocity_names)
    units = tuple(quotient(row, column) for row in _row_units(model) for column in model.velocity_units)
    return Argument(name, (len(names[0]), model.nv), names, units, description)


def _jacobian(model: Model) -> Argument:
    return _slopes(model, "J", "velocities of the rows of contacts, ranges, dry friction and loops per velocity")


def _free_velocities(model: Model) -> Argument:
    return Argument(
        "v_free", (model.nv,), (model.velocity_names,), model.velocity_units, "velocities after a step without contact"
    )


def _impulse_units(model: Model) -> tuple[str, ...]:
    layout = _layout(model)
    joints = _joint_units(model)
    turning = [unit == "rad/s" for unit in joints] + [unit != "m" for unit in model.loop_row_units]
    return (*("N s",) * layout.first_limit, *("N m s" if turns else "N s" for turns in turning))


def _delassus(model: Model) -> Argument:
    names, impulses = _layout(model).row_names, _impulse_units(model)
    units = tuple(quotient(row, column) for row in _row_units(model) for column in impulses)
    return Argument("delassus", (len(names),) * 2, (names, names), units, "velocity of each row per impulse of another")


def _per_row(model: Model, name: str, units: tuple[str, ...], description: str) -> Argument:
    names = _layout(model).row_names
    return Argument(name, (len(names),), (names,), units, description)


def _free_rows(model: Model) -> Argument:
    return _per_row(model, "c_free", _row_units(model), "velocities of the rows without impulses, with what is asked")


def _response(model: Model) -> Argument:
    layout = _layout(model)
    names = (layout.row_names, model.velocity_names)
    units = tuple(quotient(column, row) for row in _impulse_units(model) for column in model.velocity_units)
    return Argument(
        "response", (len(names[0]), model.nv), names, units, "what an impulse in a row adds to each velocity"
    )


def _whitened(model: Model) -> Argument:
    names = (_layout(model).row_names, model.velocity_names)
    units = tuple(unit for unit in _row_units(model) for _ in model.velocity_names)
    said = "rows per whitened impulse: J W with Mh^-1 = W W^T, in units of rows per root of an energy"
    return Argument("whitened", (len(names[0]), model.nv), names, units, said)


def _spread(model: Model) -> Argument:
    units = tuple(unit for _ in model.velocity_names for unit in model.velocity_units)
    said = "W^T: what a whitened impulse adds to each velocity, in units of velocities per root of an energy"
    return Argument("spread", (model.nv, model.nv), (model.velocity_names,) * 2, units, said)


def _solver_gap(model: Model) -> Argument:
    layout = _layout(model)
    names = (*layout.slot_names, *(row.name for row in layout.limits))
    joints = ("rad" if model.velocity_units[row.velocity] == "rad/s" else "m" for row in layout.limits)
    units = (*("m",) * len(layout.slots), *joints)
    return Argument("gap", (len(names),), (names,), units, "distance of each slot, then of each joint to its bound")


def _bound(model: Model) -> Argument:
    layout = _layout(model)
    rest = _impulse_units(model)[layout.first_limit :]
    units = (*("",) * layout.first_limit, *rest)
    return _per_row(model, "bound", units, "friction in rows n of contacts, largest impulse in rows of dry friction")


def _compliance(model: Model) -> Argument:
    units = tuple(quotient(row, impulse) for row, impulse in zip(_row_units(model), _impulse_units(model), strict=True))
    return _per_row(model, "compliance", units, "velocity per impulse that contacts themselves give way by")


def _before(model: Model) -> Argument:
    said = "velocities of the rows of contacts and ranges before the step, against their surfaces"
    return _per_row(model, "c_before", _row_units(model), said)


def _restitution(model: Model) -> Argument:
    layout = _layout(model)
    names = (*layout.slot_names, *(row.name for row in layout.limits))
    said = "share of an approach that each slot gives back, then each range"
    return Argument("restitution", (len(names),), (names,), ("",) * len(names), said)


def _for_impacts(model: Model) -> tuple[arguments.Maker, ...]:
    return (_before, _restitution) if impacts_of(model) else ()


def _system(model: Model) -> tuple[arguments.Maker, ...]:
    return (*_PROBLEM, _response, _solver_gap, _bound, _compliance, *_for_impacts(model))


def _factors(model: Model) -> tuple[arguments.Maker, ...]:
    few = (_delassus,) if "delassus" in factors_of(model) else ()
    last = (_solver_gap, _bound, _compliance, *_for_impacts(model))
    return (_free_velocities, *few, _free_rows, _whitened, _spread, *last)


_TAKES = ("external_wrenches", "inputs")


def _given_impulses(model: Model) -> Argument:
    return Argument("lambda", (_layout(model).count,), (_layout(model).row_names,), _impulse_units(model), "impulses")


def _reached_rows(model: Model) -> Argument:
    return _per_row(model, "c", _row_units(model), "velocities of the rows after the step, with what is asked")


def _slope_outputs(model: Model) -> Iterator[Argument]:
    """Derivatives of impulses in the coordinates, of the velocities of rows and, by parameters, of bounds."""
    momenta = tuple("N s" if unit == "m/s" else "N m s" for unit in model.velocity_units)
    moves = tuple(map(move, model.velocity_units))
    by = {"q": (model.velocity_names, moves), "v": (model.velocity_names, model.velocity_units)}
    if model.slots.names:
        by["p"] = (model.slots.names, model.slots.units)
    rows, bounds = _layout(model).row_names, _bound(model).element_units
    parts = [("impulse", model.velocity_names, momenta), ("c", rows, _row_units(model)), ("bound", rows, bounds)]
    for of, names, units in parts:
        for x, (columns, widths) in by.items():
            if of == "bound" and x != "p":
                continue
            made = tuple(per(row, column) for row in units for column in widths)
            text = f"derivatives of {of} by {x}, where v after the step and impulses stay"
            yield Argument(f"d{of}_d{x}", (len(names), len(columns)), (names, columns), made, text)


def _ends(model: Model) -> Iterator[Argument]:
    """Blocks of the joints that are no scalars."""
    moves = tuple(map(move, model.velocity_units))
    for name in END_FIELDS if block_rows(model) else ():
        of, by = (model.velocity_units if name.startswith("turned") else moves), name.split("_")[-1]
        columns = moves if by == "q" else model.velocity_units
        units = tuple(per(row, column) for row in of for column in columns)
        text = f"blocks of joints with several rows: {name.split('_')[0]} state by {by}"
        yield Argument(name, (model.nv, model.nv), (model.velocity_names,) * 2, units, text)


def _step_slopes(model: Model, request: Request) -> Signature:
    outputs = [_spread(model), _whitened(model), _reached_rows(model), _bound(model), _compliance(model)]
    outputs += [actuation.actuation_matrix(model)] if is_driven(request) else []
    given = (
        arguments.coordinates(model),
        arguments.velocities(model),
        given_forces(model, request),
        arguments.step_length(model),
        _given_impulses(model),
    )
    return arguments.signature(
        model,
        request,
        "contact_slopes",
        given,
        (*outputs, *_slope_outputs(model), *_ends(model)),
        "What derivatives of a step with rigid contacts are made of, at the impulses of the step.",
    )


def _stance(model: Model, request: Request) -> Signature:
    units = tuple(unit.removesuffix(" s") for unit in _impulse_units(model))
    said = "forces of slots on the moving shape, of loops; those of ranges and dry friction are zero"
    return arguments.signature(
        model,
        request,
        "stance_forces",
        (arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model)),
        (arguments.generalised_forces(model), _per_row(model, "lambda", units, said)),
        f"Forces of joints, and least forces of contacts in their cones, of a motion on slots with gaps below "
        f"{1000 * STANDING:g} mm.",
    )


_PROBLEM = (_free_velocities, _delassus, _free_rows)
_EQUATION = "Mh = M + h D + h^2 K, v_free = v + Mh^-1 h (tau - bias - h K v), G = J Mh^-1 J^T, c_free = J v_free + s"
_SOURCE = "Acary & Brogliato 2008; Carpentier, Le Lidec & Montaut 2024"


def _signed(
    name: str,
    outputs: Sequence[arguments.Maker] | Callable[[Model], Sequence[arguments.Maker]],
    description: str,
    problem: bool = True,
) -> Callable[[Model, Request], Signature]:
    """The signature of a function of all rows, which records those of loops: of q, and of a step for a ``problem``."""

    def signature(model: Model, request: Request) -> Signature:
        inputs = [arguments.coordinates(model)]
        if problem:
            inputs += [arguments.velocities(model), given_forces(model, request), arguments.step_length(model)]
        made = tuple(make(model) for make in (outputs(model) if callable(outputs) else outputs))
        plain = arguments.signature(model, request, name, tuple(inputs), made, description, feels_gravity=problem)
        return _with_loop_rows(model, plain)

    return signature


def _problem_plan(model: Model, request: Request, name: str, outputs: Sequence[str]) -> Plan:
    """The plan of the problem of a step; where inputs of actuators are given, they make the forces."""
    plan = replace(contact_problem_plan(model, request.external, outputs), name=name)
    return driven_plan(model, plan, "tau") if is_driven(request) else plan


def _with_loop_rows(model: Model, plain: Signature) -> Signature:
    """A signature that records rows of loops."""
    loop_rows = {HELD_ROWS: model.loop_row_names} if model.contact_layout.loop_names else {}
    return replace(plain, options={**plain.options, **loop_rows})


ENTRIES = (
    CatalogueEntry(
        "contact_jacobian",
        "Rates of the rows of rigid contacts, ranges of joints, dry friction and loops per velocity: q -> J, (m, nv).",
        _signed(
            "contact_jacobian",
            (_jacobian,),
            "Matrix J of all rows of the contact problem at q: t1, t2, n per slot, ranges, dry friction, loops.",
            problem=False,
        ),
        lambda model, _: contact_jacobian_plan(model),
        equation="c = J v, rows t1, t2, n of the velocity at the point of contact against the surface's body",
        source="Featherstone 2008, section 11.2",
        needs=CONTACT_ROWS,
        touches=True,
    ),
    CatalogueEntry(
        "contact_problem",
        "The problem of rigid contact of one step: q, v, tau, h -> v_free (nv,), delassus (m, m), c_free (m,).",
        _signed(
            "contact_problem",
            _PROBLEM,
            "Velocities after a step without contact, and how impulses in the rows of rigid contacts change theirs.",
        ),
        lambda model, request: _problem_plan(model, request, "contact_problem", PUBLIC),
        equation=_EQUATION,
        source=_SOURCE,
        takes=_TAKES,
        needs=CONTACT_ROWS,
        solves=lambda model, _: range(model.nv),
        touches=True,
    ),
    CatalogueEntry(
        "contact_system",
        "The problem for a solver: q, v, tau, h -> v_free, delassus, c_free, response, gap, bound, compliance.",
        _signed(
            "contact_system",
            _system,
            "The contact problem, with what impulses do to velocities, gaps, bounds and compliances.",
        ),
        lambda model, request: _problem_plan(model, request, "contact_system", system_of(model)),
        equation=_EQUATION + "; v+ = v_free + response^T lambda",
        source=_SOURCE,
        takes=_TAKES,
        needs=CONTACT_ROWS,
        solves=lambda model, _: range(model.nv),
        touches=True,
    ),
    CatalogueEntry(
        "contact_slopes",
        "What derivatives of a step with rigid contacts are made of: q, v, tau, h, lambda -> spread, whitened, c, ...",
        lambda model, request: _with_loop_rows(model, _step_slopes(model, request)),
        lambda model, request: contact_slopes_plan(model, request.external, is_driven(request)),
        equation="Mh dw = dimpulse + h dtau + J^T dlambda, dc = J dw + dc_dx dx, by the law of each row's state",
        source="implicit function theorem",
        takes=_TAKES,
        needs=CONTACT_ROWS,
        solves=lambda model, _: range(model.nv),
        touches=True,
    ),
    CatalogueEntry(
        "contact_factors",
        "The problem for a stepper: q, v, tau, h -> v_free[, delassus], c_free, whitened, spread, gap, bound, ..",
        _signed(
            "contact_factors",
            _factors,
            "The contact problem by a root of Mh^-1, from which a solver makes G of those rows that touch.",
        ),
        lambda model, request: _problem_plan(model, request, "contact_factors", factors_of(model)),
        equation="Mh^-1 = W W^T, G = whitened whitened^T, v+ = v_free + spread^T whitened^T lambda",
        source="Featherstone 2008, sections 6.5 and 8.12",
        takes=_TAKES,
        needs=CONTACT_ROWS,
        solves=lambda model, _: range(model.nv),
        touches=True,
    ),
    CatalogueEntry(
        "stance_forces",
        "Forces of joints and contacts that a motion in stance needs: q, v, a -> tau (nv,), lambda (m,).",
        lambda model, request: _with_loop_rows(model, _stance(model, request)),
        lambda model, request: stance_forces_plan(model, rows_with_forces(model, request), request.external),
        equation="tau + J^T lambda = inverse_dynamics(q, v, a), tau = 0 in passive rows where contacts can give that; "
        "of such lambda with |lambda_t| <= mu lambda_n that of the least |lambda|",
        source="Qi & Sun 1993, for Newton's method; Rockafellar 1976, for the proximal terms",
        takes=("external_wrenches", "actuated"),
        needs=CONTACT_ROWS,
        touches=True,
    ),
    CatalogueEntry(
        "contact_gaps",
        "Gaps of contacts: q -> gap, point, normal of slots; of penalties alone q, v -> gap, rate, (npairs,) each.",
        lambda model, request: (_rigid_gaps if model.contacts.slots else _gaps)(model, request),
        lambda model, _: rigid_gaps_plan(model) if model.contacts.slots else contact_gaps_plan(model),
        equation="gap = |c - c_s| - R - r outside a sphere, with the centre c of the robot's sphere; rate = n . c'",
        source="Gilardi & Sharf 2002",
        frames=AS_DESCRIBED,
        needs=CONTACTS,
        touches=True,
    ),
)
