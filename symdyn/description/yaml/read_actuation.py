"""The keys ``tendons``, ``chambers`` and ``actuators`` to an Actuation: all values fixed, expressions of x alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.description.actuation import Actuation, Chamber, Driver, JointActuator, RestStrain, Strand, Tendon
from symdyn.description.checks.actuation import chamber_faults, strand_faults
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.soft import Soft
from symdyn.description.text.position import hint, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.actuation_schema import (
    RADIUS,
    ChamberYaml,
    DriverYaml,
    SpanYaml,
    StrandYaml,
    TendonYaml,
    expression,
)
from symdyn.description.yaml.read_slender import SlenderReader
from symdyn.description.yaml.schema import RobotYaml
from symdyn.description.yaml.values import YamlValues


def read_actuation(robot: RobotYaml, rods: Mapping[str, Soft | None], values: YamlValues) -> Actuation:
    """Tendons, chambers and actuators of a robot.

    Parameters
    ----------
    robot
        What the file says.
    rods
        Its links by name, each with its rod.
    values
        The document's values, whose scope knows its parameters.

    Raises
    ------
    DescriptionError
        A link that is unknown or no soft one, a value that depends on a run-time parameter, an expression that cannot
        be, a stretch that is not on the rod.
    """
    tendons = tuple(_Reader(values, ("tendons", name), rods).tendon(name, said) for name, said in robot.tendons.items())
    chambers = tuple(
        _Reader(values, ("chambers", name), rods).chamber(name, said) for name, said in robot.chambers.items()
    )
    reader = _Drivers(values, ("actuators",))
    drivers = (
        own if isinstance(own, str) else reader.driver(own, number) for number, own in enumerate(robot.actuators)
    )
    return Actuation(tendons, chambers, tuple(drivers), tuple(robot.absent_actuators))


class _Drivers(SlenderReader):
    """Reads what has inputs."""

    def _check_fixed(self, names: Sequence[str], text: str, path: Path) -> None:
        for name in names:
            if name in self._values.scope.open:
                raise self._values.refusal(
                    path,
                    f": expression '{text}' depends on the run-time parameter '{name}', and numbers of actuators are "
                    "fixed; give that parameter a fixed value",
                )

    def driver(self, said: DriverYaml, number: int) -> Driver:
        if said.rest is not None:
            return RestStrain(said.rest)
        assert said.name is not None and said.joints is not None
        joints = ((name, self._list(own, number, "joints", name)) for name, own in said.joints.items())
        b0, b1, b2 = self._list(said.bias, number, "bias")
        gain = said.gain if isinstance(said.gain, list | tuple) else (said.gain, 0.0, 0.0)
        g0, g1, g2 = self._list(gain, number, "gain")
        line = self._values.line((*self._path, number))
        return JointActuator(said.name, tuple(joints), (g0, g1, g2), (b0, b1, b2), line)


_ROUNDING = 1e-15
"""What is left of sines and cosines that cancel."""


class _Reader(SlenderReader):
    kind, thing = "soft", "rod"

    def __init__(self, values: YamlValues, path: Path, rods: Mapping[str, Soft | None]) -> None:
        super().__init__(values, path)
        self._rods = rods

    def tendon(self, name: str, said: TendonYaml) -> Tendon:
        line = self._values.line(self._path)
        if said.along is None:
            return Tendon(name, (self._strand(said),), line)
        parts = enumerate(said.along)
        return Tendon(name, tuple(self._strand(part, "along", number) for number, part in parts), line)

    def chamber(self, name: str, said: ChamberYaml) -> Chamber:
        rod, start, end = self._span(said)
        if said.wall is None:
            texts = {key: self._place(said, rod, key) for key in ("area", "moment_y", "moment_z")}
        else:
            first, last = self._list(said.angles or (), "angles")
            if not first < last:
                raise self._refusal(f" are {first:g} and {last:g}; the second is larger", "angles")
            wall, radius = self._place(said, rod, "wall"), self._radius(rod, "wall")
            skin = "0" if said.skin is None else self._place(said, rod, "skin")
            radius = radius if said.skin is None else f"({radius}) - ({skin})"
            # Integrals over angles and over radii from r - w to r.
            factors = {
                "area": ((last - first) / 2, 2),
                "moment_y": ((math.sin(last) - math.sin(first)) / 3, 3),
                "moment_z": ((math.cos(first) - math.cos(last)) / 3, 3),
            }
            texts = {
                key: f"{factor!r}*(({radius})**{power} - (({radius}) - ({wall}))**{power})"
                if abs(factor) > _ROUNDING
                else "0"
                for key, (factor, power) in factors.items()
            }
            texts = {key: self._bound(BeamExpression(text), "wall").text for key, text in texts.items()}
        line = self._values.line(self._path)
        found = Chamber(name, said.link, texts["area"], texts["moment_y"], texts["moment_z"], start, end, line)
        told = found if said.wall is None else replace(found, skin=skin, wall=wall, angles=(first, last))
        for keys, words in chamber_faults(told, rod):
            raise self._refusal(words, *(keys if said.wall is None or keys == ("angles",) else ("wall",)))
        return told if rod.section_shapes else found

    def _strand(self, said: StrandYaml, *keys: int | str) -> Strand:
        rod, start, end = self._span(said, *keys)
        y, z = (self._place(said, rod, key, *keys) for key in ("y", "z"))
        found = Strand(said.link, y, z, start, end)
        for place, words in strand_faults(found, rod):
            raise self._refusal(words, *keys, *place)
        return found

    def _place(self, said: SpanYaml, rod: Soft, key: str, *keys: int | str) -> str:
        text: str = getattr(said, key) or "0"
        radius = BeamExpression(self._radius(rod, *keys, key)) if RADIUS.search(text) else None
        return self._bound(expression(text, radius), *keys, key).text

    def _span(self, said: SpanYaml, *keys: int | str) -> tuple[Soft, float, float]:
        rod = self._rods.get(said.link)
        if said.link not in self._rods:
            raise self._refusal(f": link {shown(said.link)} is unknown{hint(said.link, self._rods)}", *keys, "link")
        if rod is None:
            raise self._refusal(f": link {shown(said.link)} is not soft; name a soft link", *keys, "link")
        start = 0.0 if said.start is None else self._fixed(said.start, *keys, "from")
        end = rod.length if said.end is None else self._fixed(said.end, *keys, "to")
        return rod, start, end

    def _radius(self, rod: Soft, *keys: int | str) -> str:
        if not rod.section.radius:
            raise self._refusal(f": a section of shape {rod.section.shape} has no radius; give a number", *keys)
        return rod.section.radius
