"""Steps whose ports say once where they lie: in which field, at which body's rows, and when the port is there.

A *place* tells where a port lies at a body, and what field that is in (``places``). A *bound step* is a kernel with
one per port:

    TRANSMIT = step(
        rnea_backward,
        wrench=read(WRENCH.own),
        v=read(V, when=lambda b: b.lossy),
        tau=add_to(TAU),
        parent_wrench=add_to(WRENCH.above),
        constants=lambda b: (*b.kind.column_constants, *(LOSS if b.lossy else ())),
    )

``TRANSMIT.over(tree, bodies)`` is its sweep. From sweeps :func:`plan_of` makes the plan, fields included. Ports, and
the fields of state in a plan, come in the order in which they are said; of a visit's bindings, those that every variant
has come first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.ports import Reads as Reads
from symdyn.dynamics.tree.ports import Writes as Writes
from symdyn.dynamics.tree.strided_ports import Apart, Joined, Pieces, piece_names
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import (
    Access,
    Binding,
    Constant,
    Field,
    FieldKind,
    Given,
    Kernel,
    Mode,
    Plan,
    Port,
    Step,
    Sweep,
    Visit,
)

When = Callable[[Any], object]
"""Whether a variant has a port."""
VariantOf = Callable[[TreePlan, Any], Hashable]
BodyOf = Callable[[TreePlan, Any], int]
ConstantsOf = Callable[[TreePlan, Any], Mapping[str, Constant]]
LanesOf = Callable[[Any], int]


@dataclass(frozen=True, slots=True)
class BoundPort:
    """What a step does at a place, where the variant has the port."""

    mode: Mode
    place: Place
    when: When | None


def read(place: Place, when: When | None = None) -> BoundPort:
    """A port that is read."""
    return BoundPort(Mode.READ, place, when)


def write(place: Place, when: When | None = None) -> BoundPort:
    """A port that is written."""
    return BoundPort(Mode.WRITE, place, when)


def add_to(place: Place, when: When | None = None) -> BoundPort:
    """A port that is added to."""
    return BoundPort(Mode.ADD, place, when)


@dataclass(frozen=True, slots=True)
class BoundStep:
    """A kernel with its ports and their places, and all else that its visits follow from; see :func:`step`."""

    name: str
    kernel: Kernel
    ports: Mapping[str, BoundPort]
    constants: Callable[[Any], Iterable[str]]
    variant: VariantOf
    body: BodyOf
    lanes: LanesOf | None = None
    linear: bool = False
    timeless: bool = False

    def in_lanes(self, lanes: LanesOf) -> BoundStep:
        """The step that visits an item in so many lanes; its places say where each lane lies."""
        return replace(self, lanes=lanes)

    def as_linear(self) -> BoundStep:
        """The step whose kernel is linear in what it reads; see ``Step``."""
        return replace(self, linear=True)

    def as_timeless(self) -> BoundStep:
        """The step whose kernel treats whole series as numbers; see ``Step``."""
        return replace(self, timeless=True)

    def over(
        self,
        tree: TreePlan,
        items: Iterable[Any],
        variant: VariantOf | None = None,
        more: ConstantsOf | None = None,
        **fields: str,
    ) -> Sweep:
        """The sweep over bodies, in this order.

        Parameters
        ----------
        tree
            The robot.
        items
            Indices of bodies, or what else the step's places take.
        variant
            Makes the variants, in place of the step's own way.
        more
            Constants beside those that the step names.
        fields
            Fields that ports lie in, in place of those that they name.
        """
        assert fields.keys() <= self.ports.keys(), (self.name, fields)
        bound = [(name, port, fields.get(name, port.place.field)) for name, port in self.ports.items()]
        in_order = sorted(bound, key=lambda port: port[1].when is not None)  # alike bodies begin alike
        visits = []
        for item in items:
            own, body = (variant or self.variant)(tree, item), self.body(tree, item)
            names = tuple(self.constants(own))
            constants = tree.constants(body, names) if names else {}
            if more is not None:
                constants = {**constants, **more(tree, item)}
            bindings, apart = _bindings(in_order, tree, item, own)
            count = 1 if self.lanes is None else self.lanes(item)
            visits.append(Visit(body, Apart(own, apart) if apart else own, constants, bindings, count))
        declared = (port.place.declared(tree, field) for _, port, field in bound)
        pieces = tree.model.most_leaders
        kernel = self.kernel if pieces < 2 else Joined(self.kernel)
        step = Step(self.name, kernel, tuple(self._ports(tree, pieces)), linear=self.linear, timeless=self.timeless)
        return Sweep(step, tuple(visits), self.lanes is not None, tuple(field for field in declared if field))

    def _ports(self, tree: TreePlan, pieces: int) -> Iterator[Port]:
        for name, port in self.ports.items():
            names = [f"{name}{row}" for row in range(tree.model.most_rows)] if port.place.per_row else [name]
            for own in names:
                yield from (Port(piece, port.mode) for piece in islice(piece_names(own), pieces))


def _bindings(
    bound: Iterable[tuple[str, BoundPort, str]], tree: TreePlan, item: Any, variant: Hashable
) -> tuple[dict[str, Binding], tuple[str, ...]]:
    """The bindings by port, and the ports that are in pieces."""
    found: dict[str, Binding | Pieces | None] = {}
    for name, port, field in bound:
        if port.when is None or port.when(variant):
            binding = port.place.at(tree, item, field)
            if isinstance(binding, Access | Given | Pieces | None):
                found[name] = binding
            else:
                found |= {f"{name}{row}": one for row, one in enumerate(binding)}
    whole: dict[str, Binding] = {}
    for name, binding in found.items():
        if isinstance(binding, Pieces):
            whole |= zip(piece_names(name), binding.scalars, strict=False)
        elif binding is not None:
            whole[name] = binding
    return whole, tuple(name for name, binding in found.items() if isinstance(binding, Pieces))


def step(
    kernel: Any,
    constants: Callable[[Any], Iterable[str]] = lambda variant: (),
    variant: VariantOf = TreePlan.variant,
    name: str = "",
    body: BodyOf = lambda tree, item: item,
    **ports: BoundPort,
) -> BoundStep:
    """A step that is said once.

    Parameters
    ----------
    kernel
        ``kernel(variant, algebra, constants, reads) -> writes``.
    constants
        Names of the constants that the kernel reads at a variant.
    variant
        The variant of a body.
    name
        Of the step, if it is not the kernel's.
    body
        The body of an item, if items are no bodies; -1 for none.
    ports
        Modes and places, by the names that the kernel has for them.
    """
    return BoundStep(name or kernel.__name__, kernel, ports, constants, variant, body)


def declared_by(sweeps: Iterable[Sweep]) -> list[Field]:
    """Fields that sweeps declare, each once; sweeps that declare the same name mean the same field."""
    found: dict[str, Field] = {}
    for field in (field for sweep in sweeps for field in sweep.fields):
        assert found.setdefault(field.name, field) == field, (found[field.name], field)
    return list(found.values())


def plan_of(
    name: str,
    tree: TreePlan,
    sweeps: Iterable[Sweep],
    fields: Iterable[Field] = (),
    binding: Iterable[Sweep] | None = None,
) -> Plan:
    """The plan of sweeps after those that bind parameters and shapes.

    Parameters
    ----------
    name
        Of the function.
    tree
        The robot.
    sweeps
        Of the algorithm; those without visits are left out, but for outputs that they declare: these are zero.
    fields
        What the sweeps do not declare, or declare otherwise. Then come those of the tree, and what the sweeps declare;
        state among these is left out where no visit touches it.
    binding
        The sweeps that bind, where they are others: not all functions ask how flexible links weigh.
    """
    every = (*(tree.binding_sweeps() if binding is None else binding), *sweeps)
    run = list(tree.rods.completed([sweep for sweep in every if sweep.visits]))
    zero = [field for field in declared_by(every) if field.kind is FieldKind.OUTPUT]
    stated = {field.name: field for field in fields}
    declared = (*stated.values(), *tree.fields(), *tree.rods.inner_fields(run), *declared_by(run), *zero)
    found = {field.name: field for field in declared} | stated
    idle = {name for name, field in found.items() if field.kind is FieldKind.STATE} - stated.keys()
    if idle:
        accesses = (place for sweep in run for visit in sweep.visits for place in visit.bindings.values())
        idle -= {place.field for place in accesses if isinstance(place, Access)}
    kept = tuple(field for name, field in found.items() if name not in idle)
    bodies = tuple(body.name for body in tree.model.bodies)
    return Plan(name, kept, tuple(run), bodies, tree.model.parent)
