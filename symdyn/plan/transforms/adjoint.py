"""The derivative of a weighted sum of a plan's outputs by all of its inputs at once: every visit walked back.

First the plan's own sweeps run, then the same in reverse order. Each visit of the latter finds the adjoints of the
scalars that it read, from those of its results. The cost is a small multiple of that of the plan, whatever the number
of inputs (Griewank and Walther 2008, chapter 3). A plan must write each place once, or add to it, and read it
afterwards: then what a visit has read is still there on the way back.

Nganga & Wensing 2023 find the same for inverse dynamics by hand: the weights go outward as a virtual velocity.

Kernels walked back: adjoints of the scalars that a visit reads, from these scalars and adjoints of results.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.algebra.scalars.recorded import RecordingAlgebra
from symdyn.errors import InternalError
from symdyn.plan.compose import outputs_as_state, renamed
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Kernel, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.transforms.dual_kernels import Unknown, UnknownAlgebra
from symdyn.plan.transforms.nested import apart, unused
from symdyn.plan.transforms.taylor import varying_fields
from symdyn.plan.transforms.varying_constants import with_ports_for

Places = tuple[tuple[str, tuple[int, ...]], ...]
"""Per port the places of some of its scalars."""


@dataclass(frozen=True, slots=True)
class AdjointVariant:
    """A visit's own variant, what of its reads varies, which results have an adjoint, and which reads get a share."""

    plain: Hashable
    varied: Places
    adjoints: Places
    shares: tuple[str, ...]


def adjoint_port(name: str) -> str:
    """The port of the adjoints of a port's scalars."""
    return f"{name}_owed"


ADJOINT_PORT = re.compile("_owed$")
"""What the names of such ports look like."""


class Walk:
    """A visit run on scalars without a value, forth once and back once: what depends on what.

    Parameters
    ----------
    step, visit
        What is run; without constants that vary.
    varied
        Per port that is read the places of scalars that vary.
    """

    def __init__(self, step: Step, visit: Visit, varied: Places) -> None:
        self._algebra = RecordingAlgebra(UnknownAlgebra())
        reads: dict[str, Sequence[Any]] = {}
        for port in step.ports:
            binding = visit.bindings.get(port.name)
            if port.mode is Mode.READ and binding is not None:
                count = getattr(binding, "count", None)
                reads[port.name] = binding.values if count is None else [Unknown()] * count  # type: ignore[union-attr]
        self._varied = varied
        self._seen = _seen(self._algebra, dict(varied), reads)
        constants = {k: x if isinstance(x, float) else Unknown() for k, x in visit.constants.items()}
        self._results = step.kernel(visit.variant, self._algebra, _held(self._algebra, constants), self._seen)

    @property
    def varying(self) -> dict[str, tuple[int, ...]]:
        """Per port that is written the places of results that vary."""
        return {
            name: tuple(n for n, x in enumerate(scalars) if self._algebra.place(x) >= 0)
            for name, scalars in self._results.items()
        }

    def shares(self, adjoints: Places) -> dict[str, tuple[int, ...]]:
        """Per port that is read the places of scalars that get a share; ports without any are absent."""
        seeds = [(self._results[name][place], Unknown()) for name, places in adjoints for place in places]
        found = self._algebra.adjoints(seeds)
        told = {
            name: tuple(place for place in places if self._seen[name][place].place in found)
            for name, places in self._varied
        }
        return {name: places for name, places in told.items() if places}


def walked_back(kernel: Kernel) -> Kernel:
    """The kernel that finds shares: adjoints of reads from those of results, over any algebra."""

    def run(
        variant: AdjointVariant, algebra: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
    ) -> Mapping[str, Sequence[Any]]:
        recording = RecordingAlgebra(algebra)
        given = {adjoint_port(name) for name, _ in variant.adjoints}
        plain = {name: values for name, values in reads.items() if name not in given}
        seen = _seen(recording, dict(variant.varied), plain)
        results = kernel(variant.plain, recording, _held(recording, constants), seen)
        found = recording.adjoints(
            (results[name][place], reads[adjoint_port(name)][place])
            for name, places in variant.adjoints
            for place in places
        )
        return {adjoint_port(name): [found.get(recording.place(x), 0.0) for x in seen[name]] for name in variant.shares}

    return run


def _seen(
    recording: RecordingAlgebra, varied: Mapping[str, Sequence[int]], reads: Mapping[str, Sequence[Any]]
) -> dict[str, list[Any]]:
    return {
        name: [
            recording.variable(x) if place in varied.get(name, ()) else recording.passive(x)
            for place, x in enumerate(values)
        ]
        for name, values in reads.items()
    }


def _held(recording: RecordingAlgebra, constants: Mapping[str, Any]) -> dict[str, Any]:
    return {name: recording.passive(value) for name, value in constants.items()}


def adjoint_step(step: Step) -> Step:
    """The step that finds shares."""
    reads = [port for port in step.ports if port.mode is Mode.READ]
    adjoints = [Port(adjoint_port(port.name), Mode.READ) for port in step.ports if port.mode is not Mode.READ]
    shares = [Port(adjoint_port(port.name), Mode.ADD) for port in reads]
    return Step(f"{step.name}_back", walked_back(step.kernel), (*reads, *adjoints, *shares))


def adjoint_sweeps(
    plan: Plan, weights: Mapping[str, str], gradients: Mapping[str, str], inputs: Mapping[str, str] | None = None
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the gradients by inputs of the sum of all outputs, each scalar times its weight.

    Parameters
    ----------
    plan
        What is differentiated.
    weights
        For each output that counts the field of its weights, of the same width.
    gradients
        For each input that counts the field that receives the gradient, of the same width. The caller declares these;
        what cannot differ from zero is left alone, which is right for outputs and sparse fields.
    inputs
        Other names for some input fields, where their values come from another algorithm.

    Returns
    -------
    State fields and sweeps. Fields that the plan keeps have the plan's name before their own.

    Raises
    ------
    InternalError
        The plan writes a place again, or changes one that was read.
    """
    names = {field.name: f"{plan.name}_{field.name}" for field in plan.fields if field.kind is not FieldKind.INPUT}
    names |= inputs or {}
    own = [replace(field, name=names.get(field.name, field.name)) for field in plan.fields]
    sweeps = renamed(plan.sweeps, names)
    _refuse_changes(sweeps, plan.name)
    adjoints = {names[output]: field for output, field in weights.items()}
    adjoints |= {names.get(name, name): field for name, field in gradients.items()}
    adjoint = _Adjoint(own, sweeps, adjoints, [names.get(name, name) for name in gradients])
    back = adjoint.sweeps_back()
    kept = outputs_as_state(field for field in own if field.kind is not FieldKind.INPUT)
    return [*kept, *adjoint.fields()], [*sweeps, *back]


class _Adjoint:
    """Book-keeping of one transformation: which scalars vary, and which have an adjoint."""

    def __init__(
        self, fields: Sequence[Field], sweeps: Sequence[Sweep], adjoints: Mapping[str, str], along: Collection[str]
    ) -> None:
        self._fields = {field.name: field for field in fields}
        self._adjoint_fields = dict(adjoints)
        self._made: dict[str, Field] = {}
        varying = varying_fields(fields, sweeps, along)
        self._varying = {(name, place) for name in along for place in range(self._fields[name].size)}
        self._adjoints = {(name, p) for name in adjoints if name not in along for p in range(self._fields[name].size)}
        self._walks: list[tuple[Sweep, list[tuple[Visit, Places, Walk]]]] = []
        for sweep in sweeps:
            ported = with_ports_for(apart(sweep, ADJOINT_PORT), varying.union(along))
            walks = [(visit, *self._walked(ported.step, visit)) for visit in ported.visits]
            self._walks.append((ported, walks))

    def fields(self) -> list[Field]:
        """State for the adjoints."""
        return list(self._made.values())

    def _walked(self, step: Step, visit: Visit) -> tuple[Places, Walk]:
        """A visit run forth: which of the scalars that it reads vary, in any lane; what it writes is noted."""
        varied = self._known(step, visit, (Mode.READ,), self._varying)
        walk = Walk(step, visit, varied)
        for name, places in walk.varying.items():
            self._note(visit, name, places, self._varying)
        return varied, walk

    def sweeps_back(self) -> list[Sweep]:
        """The sweeps in reverse."""
        found = []
        for sweep, walks in reversed(self._walks):
            visits = [made for walk in reversed(walks) if (made := self._back(sweep.step, *walk))]
            if visits:
                found.append(Sweep(adjoint_step(sweep.step), tuple(visits), sweep.vector))
        return found

    def _back(self, step: Step, visit: Visit, varied: Places, walk: Walk) -> Visit | None:
        varying = walk.varying
        adjoints = tuple(
            (name, known)
            for name, places in self._known(step, visit, (Mode.WRITE, Mode.ADD), self._adjoints)
            if (known := tuple(place for place in places if place in varying[name]))
        )
        shares = walk.shares(adjoints) if adjoints else {}
        if not shares:
            return None
        for name, places in shares.items():
            self._note(visit, name, places, self._adjoints)
        reads = {port.name for port in step.ports if port.mode is Mode.READ}
        bindings: dict[str, Binding] = {name: at for name, at in visit.bindings.items() if name in reads}
        for name in (*dict(adjoints), *shares):
            bindings[adjoint_port(name)] = self._adjoint_access(visit.bindings[name])
        variant = AdjointVariant(visit.variant, varied, adjoints, tuple(shares))
        return replace(visit, variant=variant, bindings=bindings)

    def _known(self, step: Step, visit: Visit, modes: Collection[Mode], known: set[tuple[str, int]]) -> Places:
        """Per port of some modes the places of scalars that are known of, in any lane."""
        found = []
        for port in step.ports:
            access = visit.bindings.get(port.name)
            if port.mode in modes and isinstance(access, Access):
                lanes = range(visit.lanes if access.lane else 1)
                places = tuple(
                    number
                    for number, at in enumerate(access.places)
                    if any((access.field, at + lane * access.lane) in known for lane in lanes)
                )
                if places:
                    found.append((port.name, places))
        return tuple(found)

    def _note(self, visit: Visit, name: str, places: Sequence[int], known: set[tuple[str, int]]) -> None:
        access = visit.bindings[name]
        assert isinstance(access, Access)
        for lane in range(visit.lanes if access.lane else 1):
            known.update((access.field, access.places[place] + lane * access.lane) for place in places)

    def _adjoint_access(self, binding: Binding) -> Access:
        """Where the adjoints of the scalars of an access are."""
        assert isinstance(binding, Access)
        if binding.field in self._adjoint_fields:
            return replace(binding, field=self._adjoint_fields[binding.field])
        plain = self._fields[binding.field]
        name = unused(adjoint_port(binding.field), self._fields)
        self._made.setdefault(
            name, Field(name, FieldKind.STATE, plain.width, plain.rows, sparse=True, lanes=plain.lanes)
        )
        return replace(binding, field=name)


def _refuse_changes(sweeps: Sequence[Sweep], name: str) -> None:
    """Refuse plans that a walk back would find changed."""
    read: set[tuple[str, int]] = set()
    written: set[tuple[str, int]] = set()
    for sweep in sweeps:
        modes = {port.name: port.mode for port in sweep.step.ports}
        for visit in sweep.visits:
            for port, access in visit.bindings.items():
                if not isinstance(access, Access):
                    continue
                lanes = range(visit.lanes if access.lane else 1)
                at = {(access.field, place + lane * access.lane) for lane in lanes for place in access.places}
                if modes[port] is Mode.READ:
                    read |= at
                    continue
                if not at.isdisjoint(read) or (modes[port] is Mode.WRITE and not at.isdisjoint(written)):
                    raise InternalError(f"plan '{name}' changes {access.field} after it was read or written")
                written |= at
