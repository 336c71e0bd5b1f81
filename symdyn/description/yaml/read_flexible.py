"""The key ``flexible`` of a YAML link to a Flexible: all values fixed, expressions of x alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symdyn.description.checks.flexible import STIFFNESS_KEYS, faults
from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile, hub_about_bending
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.placement import Placement
from symdyn.description.text.validation import Path
from symdyn.description.yaml.flexible_schema import (
    BasisYaml,
    BendingStiffnessYaml,
    DampingYaml,
    FlexibleYaml,
    HubInertiaYaml,
    RatiosYaml,
    StepsYaml,
    StepYaml,
    TableYaml,
    TimesYaml,
)
from symdyn.description.yaml.read_slender import SlenderReader
from symdyn.description.yaml.values import YamlValues

_SNAP = 1e-9


def read_flexible(flexible: FlexibleYaml, values: YamlValues, path: Path) -> Flexible:
    """The beam of a link.

    Parameters
    ----------
    flexible
        What the file says.
    values
        The document's values, whose scope knows its parameters.
    path
        Where ``flexible`` stands in the document.

    Raises
    ------
    DescriptionError
        A value that depends on a run-time parameter, an unknown name, a key that is missing or means nothing, a beam
        that cannot be.
    """
    beam = _BeamReader(flexible, values, path).beam()
    for keys, words in faults(beam):
        raise values.refusal(values.nearest((*path, *keys)), words)
    return beam


class _BeamReader(SlenderReader):
    kind, thing = "flexible", "beam"

    def __init__(self, flexible: FlexibleYaml, values: YamlValues, path: Path) -> None:
        super().__init__(values, path)
        self._flexible = flexible
        self._length = self._fixed(flexible.length, "length")

    def _placement(self, given: FlexibleYaml) -> Placement:
        x, y, z = (self._fixed(entry, "start") for entry in given.start)
        if given.axis is None:
            return Placement((x, y, z), self._values.rotation(given, self._path))
        return Placement((x, y, z), self.along_x(given.axis, (*self._path, "axis")))

    def beam(self) -> Flexible:
        flexible = self._flexible
        inertia = flexible.section_inertia
        return Flexible(
            length=self._length,
            mass_per_length=self._profile(flexible.mass_per_length, "mass_per_length"),
            modes=(modes := tuple(self._modes())),
            placement=self._placement(flexible),
            section_inertia=None
            if inertia is None
            else (self._profile(inertia.y, "section_inertia", "y"), self._profile(inertia.z, "section_inertia", "z")),
            tip_mass=self._fixed(flexible.tip_mass, "tip_mass"),
            tip_inertia=self._fixed(flexible.tip_inertia, "tip_inertia"),
            hub_inertia=self._hub(modes),
            stiffening=flexible.stiffening,
        )

    def _hub(self, modes: Sequence[Modes]) -> tuple[float, float, float]:
        given = self._flexible.hub_inertia
        if not isinstance(given, HubInertiaYaml):
            return hub_about_bending(self._fixed(given, "hub_inertia"), modes)
        x, y, z = (self._fixed(getattr(given, axis), "hub_inertia", axis) for axis in "xyz")
        return x, y, z

    def _modes(self) -> Iterator[Modes]:
        counts, shapes, basis = self._flexible.modes, self._flexible.shapes, self._flexible.basis
        moves, unused = False, []
        for direction in Direction:
            name = direction.value
            count = 0 if counts is None else getattr(counts, name)
            given = None if shapes is None else getattr(shapes, name)
            own_basis = basis if isinstance(basis, Basis) else getattr(basis, name, None)
            found: dict[str, Any]
            if given is None:
                found = {"basis": own_basis or Basis.CLAMPED_FREE, "count": count}
            else:
                if basis is not None and (isinstance(basis, Basis) or own_basis is not None):
                    raise self._refusal(
                        f" means nothing for {name}, whose shapes are given; name it for the other directions alone",
                        "basis",
                        *(() if isinstance(basis, Basis) else (name,)),
                    )
                found = self._table(given, name) if isinstance(given, TableYaml) else self._functions(given, name)
                if counts is not None and name in counts.model_fields_set and count != found["count"]:
                    raise self._refusal(f" is {count}, and shapes has {found['count']}; leave it out", "modes", name)
            if found["count"] > 0:
                moves = True
                yield Modes(direction, stiffness=self._stiffness(direction), **self._damping(name, found))
            elif counts is None or name not in counts.model_fields_set:
                unused.append(name)
        for name in unused if moves else ():  # a beam without any mode has a worse fault
            self._refuse_unused(name)

    def _refuse_unused(self, name: str) -> None:
        """Refuse what is said of the modes of a direction that has none; an explicit count of 0 switches them off."""
        damping = self._flexible.damping or DampingYaml()
        said: tuple[tuple[Path, object], ...] = (
            (("basis",), self._flexible.basis),
            (("damping", "ratio"), damping.ratio),
            (("damping", "retardation_time"), damping.retardation_time),
        )
        for key, given in said:
            if isinstance(given, BasisYaml | RatiosYaml | TimesYaml) and getattr(given, name) is not None:
                raise self._refusal(f" means nothing without modes of {name}; give some, or delete it", *key, name)

    def _functions(self, given: Sequence[BeamExpression], name: str) -> dict[str, Any]:
        texts = tuple(self._bound(shape, "shapes", name, number).text for number, shape in enumerate(given))
        if not texts:
            raise self._refusal(" is an empty list; expected at least one entry", "shapes", name)
        return {"basis": Basis.EXPRESSIONS, "count": len(texts), "functions": texts}

    def _table(self, given: TableYaml, name: str) -> dict[str, Any]:
        stations = self._list(given.stations, "shapes", name, "stations")
        if not given.samples:
            raise self._refusal(" is an empty list; expected at least one entry", "shapes", name, "samples")
        samples = tuple(self._list(row, "shapes", name, "samples", number) for number, row in enumerate(given.samples))
        ends = (*stations[:-1], self._snapped(stations[-1])) if stations else ()
        return {"basis": Basis.TABLE, "count": len(samples), "stations": ends, "samples": samples}

    def _damping(self, name: str, found: dict[str, Any]) -> dict[str, Any]:
        damping = self._flexible.damping or DampingYaml()
        ratio, time = damping.ratio, damping.retardation_time
        key: Path = ("damping", "ratio")
        if isinstance(ratio, RatiosYaml):
            ratio, key = getattr(ratio, name), (*key, name)
        if isinstance(ratio, list):
            found["damping_ratios"] = self._list(ratio, *key)
        elif ratio is not None:
            found["damping_ratios"] = (self._fixed(ratio, *key),) * found["count"]
        key = ("damping", "retardation_time")
        if isinstance(time, TimesYaml):
            time, key = getattr(time, name), (*key, name)
        if time is not None:
            found["retardation_time"] = self._fixed(time, *key)
        return found

    def _stiffness(self, direction: Direction) -> Profile:
        keys = STIFFNESS_KEYS[direction]
        given = getattr(self._flexible, str(keys[0]))
        if isinstance(given, BendingStiffnessYaml):
            given = given if given.steps is not None else getattr(given, str(keys[1]))
        else:
            keys = keys[:1]
        if given is None:
            raise self._refusal(f": {'.'.join(map(str, keys))} is missing; modes of {direction.value} need it")
        return self._profile(given, *keys)

    def _profile(self, given: BeamExpression | StepsYaml | BendingStiffnessYaml, *keys: int | str) -> Profile:
        if isinstance(given, BeamExpression):
            return Profile((self._length,), (self._bound(given, *keys).text,))
        steps: list[StepYaml] = given.steps or []
        ends = [self._fixed(step.to, *keys, "steps", number, "to") for number, step in enumerate(steps)]
        bound = [self._bound(step.value, *keys, "steps", number, "value") for number, step in enumerate(steps)]
        return Profile((*ends[:-1], self._snapped(ends[-1])), tuple(value.text for value in bound))

    def _snapped(self, end: float) -> float:
        """The beam's length where a sum of decimals means it."""
        return self._length if abs(end - self._length) <= _SNAP * self._length else end
