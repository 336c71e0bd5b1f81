"""Special cases of inverse dynamics."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.inverse_dynamics.joint_wrenches import joint_wrenches_plan
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model, lossless, without_springs
from symdyn.plan.plan import Access, Given, Plan, Sweep, Visit


def at_rest(plan: Plan, name: str, inputs: tuple[str, ...]) -> Plan:
    """A plan under another name, with some of its inputs known to be zero and no longer asked for."""

    def still(visit: Visit) -> Visit:
        bindings = {
            port: Given((0.0,) * place.count) if isinstance(place, Access) and place.field in inputs else place
            for port, place in visit.bindings.items()
        }
        return replace(visit, bindings=bindings)

    sweeps = tuple(Sweep(sweep.step, tuple(map(still, sweep.visits)), sweep.vector) for sweep in plan.sweeps)
    fields = tuple(field for field in plan.fields if field.name not in inputs)
    return replace(plan, name=name, fields=fields, sweeps=sweeps)


def _weighing(model: Model) -> Model:
    """The same robot without whatever in its joints is no weight: losses, rotors and springs."""
    return without_springs(lossless(model))


def gravity_plan(model: Model) -> Plan:
    """The plan of what the robot's weight asks of its joints, from q alone."""
    return at_rest(inverse_dynamics_plan(_weighing(model)), "gravity", ("v", "a"))


def _gravity_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        lossless(model),
        Request(),
        "gravity",
        (arguments.coordinates(model),),
        (arguments.generalised_forces(model),),
        "Joint forces tau that hold the robot against its weight at position q; springs play no part.",
    )


def _wrenches_signature(model: Model, request: Request) -> Signature:
    like = arguments.external_wrenches(model, "body")
    wrenches = Argument("F", like.shape, like.rows, like.units, "wrench from the parent through each body's joint")
    return arguments.signature(
        lossless(model),
        request,
        "joint_wrenches",
        (arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model)),
        (wrenches,),
        "Wrench that each joint transmits from the parent to its body, in the body's frame and about its origin.",
    )


ENTRIES = (
    CatalogueEntry(
        "gravity",
        "Joint forces against weight alone: q -> tau.",
        _gravity_signature,
        lambda model, _: gravity_plan(model),
        equation="g(q) = inverse dynamics at v = 0, a = 0, without losses and springs",
        source="Luh, Walker & Paul 1980",
    ),
    CatalogueEntry(
        "bias",
        "Joint forces without acceleration: q, v -> tau.",
        arguments.signed(
            "bias",
            (arguments.coordinates, arguments.velocities),
            (arguments.generalised_forces,),
            "Joint forces tau at position q and velocity v that leave v as it is, row by row.",
        ),
        lambda model, _: at_rest(inverse_dynamics_plan(model), "bias", ("a",)),
        equation="bias(q, v) = C(q, v) v + g(q) = inverse dynamics at a = 0, losses and springs included",
        source="Luh, Walker & Paul 1980",
    ),
    CatalogueEntry(
        "joint_wrenches",
        "Wrench through each joint in its body's frame: q, v, a -> F, (nbodies, 6).",
        _wrenches_signature,
        lambda model, request: joint_wrenches_plan(lossless(model), request.external),
        equation="F_i = rate of change of the momentum of body i and all that it carries, less weight and f_ext",
        source="Luh, Walker & Paul 1980",
        takes=("external_wrenches",),
        frames=AS_DESCRIBED,
    ),
)
