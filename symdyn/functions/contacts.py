"""Functions of contacts: gaps, rows, the problem of a step and its slopes, forces in stance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.contacts.partials import contact_slopes_plan
from symdyn.dynamics.contacts.problem import PUBLIC, contact_problem_plan, factors_of, system_of
from symdyn.dynamics.contacts.rows import contact_gaps_plan as rigid_gaps_plan
from symdyn.dynamics.contacts.rows import contact_jacobian_plan
from symdyn.dynamics.contacts.stance import STANDING, stance_forces_plan
from symdyn.dynamics.kinematics.contact_gaps import contact_gaps_plan, pairs_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.functions import actuation, arguments
from symdyn.functions import contact_arguments as rows
from symdyn.functions.dynamics_arguments import given_forces
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import CONTACT_ROWS, CONTACTS
from symdyn.functions.request import Request, is_driven
from symdyn.functions.values import rows_with_forces
from symdyn.interface.rollouts import BY_LENGTH
from symdyn.interface.signature import HELD_ROWS, Argument, Signature
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


def _rigid_gaps(model: Model, request: Request) -> Signature:
    names = model.contact_layout.slot_names
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
        (arguments.coordinates(model), *rows.touching(model)),
        outputs,
        "Gap, point and normal of every slot of the rigid contacts, at q, in the world's axes.",
        feels_gravity=False,
    )


def _system(model: Model) -> tuple[arguments.Maker, ...]:
    return (*_PROBLEM, rows.response, rows.solver_gap, rows.bound, rows.compliance, *rows.for_impacts(model))


def _factors(model: Model) -> tuple[arguments.Maker, ...]:
    few = (rows.delassus,) if "delassus" in factors_of(model) else ()
    last = (rows.solver_gap, rows.bound, rows.compliance, *rows.for_impacts(model))
    return (rows.free_velocities, *few, rows.free_rows, rows.whitened, rows.spread, *last)


_TAKES = ("external_wrenches", "inputs")


def _step_slopes(model: Model, request: Request) -> Signature:
    outputs = [
        rows.spread(model),
        rows.whitened(model),
        rows.reached_rows(model),
        rows.bound(model),
        rows.compliance(model),
    ]
    outputs += [actuation.actuation_matrix(model)] if is_driven(request) else []
    by_length = rows.length_outputs(model) if request.gradient == BY_LENGTH else ()
    given = (
        arguments.coordinates(model),
        arguments.velocities(model),
        given_forces(model, request),
        arguments.step_length(model),
        rows.given_impulses(model),
        *rows.touching(model),
    )
    return arguments.signature(
        model,
        request,
        "contact_slopes",
        given,
        (*outputs, *rows.slope_outputs(model), *rows.ends(model), *by_length),
        "What derivatives of a step with rigid contacts are made of, at the impulses of the step.",
    )


def _stance(model: Model, request: Request) -> Signature:
    units = tuple(unit.removesuffix(" s") for unit in rows.impulse_units(model))
    said = "forces of slots on the moving shape, of loops; those of ranges and dry friction are zero"
    return arguments.signature(
        model,
        request,
        "stance_forces",
        (
            arguments.coordinates(model),
            arguments.velocities(model),
            arguments.accelerations(model),
            *rows.touching(model),
        ),
        (arguments.generalised_forces(model), rows.per_row(model, "lambda", units, said)),
        f"Forces of joints, and least forces of contacts in their cones, of a motion on slots with gaps below "
        f"{1000 * STANDING:g} mm.",
    )


_PROBLEM = (rows.free_velocities, rows.delassus, rows.free_rows)
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
        inputs += rows.touching(model)
        made = tuple(make(model) for make in (outputs(model) if callable(outputs) else outputs))
        plain = arguments.signature(model, request, name, tuple(inputs), made, description, feels_gravity=problem)
        return _with_loop_rows(model, plain)

    return signature


def _problem_plan(model: Model, request: Request, name: str, outputs: Sequence[str]) -> Plan:
    """The plan of the problem of a step; where inputs of actuators are given, they make the forces."""
    plan = replace(contact_problem_plan(model, request.external, outputs), name=name)
    return driven_plan(model, plan, "tau") if is_driven(request) else plan


def _with_loop_rows(model: Model, plain: Signature) -> Signature:
    """A signature that records rows of loops, and bodies of slots that are filled at run time."""
    loop_rows = {HELD_ROWS: model.loop_row_names} if model.contact_layout.loop_names else {}
    return replace(plain, options={**plain.options, **loop_rows, **rows.touched_bodies(model)})


ENTRIES = (
    CatalogueEntry(
        "contact_jacobian",
        "Rates of the rows of rigid contacts, ranges of joints, dry friction and loops per velocity: q -> J, (m, nv).",
        _signed(
            "contact_jacobian",
            (rows.jacobian,),
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
        lambda model, request: contact_slopes_plan(
            model, request.external, is_driven(request), request.gradient == BY_LENGTH
        ),
        equation="Mh dw = dimpulse + h dtau + J^T dlambda, dc = J dw + dc_dx dx, by the law of each row's state",
        source="implicit function theorem",
        takes=(*_TAKES, "gradient"),
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
        lambda model, request: (_rigid_gaps if model.contacts.slot_count else _gaps)(model, request),
        lambda model, _: rigid_gaps_plan(model) if model.contacts.slot_count else contact_gaps_plan(model),
        equation="gap = |c - c_s| - R - r outside a sphere, with the centre c of the robot's sphere; rate = n . c'",
        source="Gilardi & Sharf 2002",
        frames=AS_DESCRIBED,
        needs=CONTACTS,
        touches=True,
    ),
)
