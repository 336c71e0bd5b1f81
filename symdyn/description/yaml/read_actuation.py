"""The keys ``tendons``, ``chambers`` and ``actuators`` to an Actuation: all values fixed, expressions of x alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.description.actuation import (
    CHAMBERS,
    DRIVER,
    TENDONS,
    Actuation,
    Chamber,
    Strand,
    asks_radius,
    routed,
)
from symdyn.description.checks.actuation import chamber_faults, strand_faults
from symdyn.description.declared import Said
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.soft import Soft
from symdyn.description.text.position import hint, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.read_deforming import SlenderReader
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
    reader, laws = _Reader(values, rods), _Drivers(values)
    tendons = tuple(values.records(TENDONS, robot.tendons, "tendons", reader))
    chambers = tuple(values.records(CHAMBERS, robot.chambers, "chambers", reader))
    drivers = (DRIVER.make(own, laws, ("actuators", number)) for number, own in enumerate(robot.actuators))
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


_ROUNDING = 1e-15
"""What is left of sines and cosines that cancel."""


class _Reader(SlenderReader):
    kind, thing = "soft", "rod"

    def __init__(self, values: YamlValues, rods: Mapping[str, Soft | None]) -> None:
        super().__init__(values)
        self._rods = rods

    def strand(self, said: Said, path: Path) -> dict[str, Any]:
        """The part of a tendon along a rod."""
        rod, span = self._span(said, path)
        found = span | {key: self._place(said, rod, key, path) for key in ("y", "z")}
        for place, words in strand_faults(Strand(**found), rod):
            raise self.refusal((*path, *place), words)
        return found

    def chamber(self, said: Said, path: Path) -> dict[str, Any]:
        """A chamber in a rod; its wall where sections deform."""
        rod, span = self._span(said, path)
        wall: dict[str, Any] = {}
        if "wall" not in said:
            texts = {key: self._place(said, rod, key, path) for key in ("area", "moment_y", "moment_z")}
        else:
            first, last = said["angles"]
            if not first < last:
                raise self.refusal((*path, "angles"), f" are {first:g} and {last:g}; the second is larger")
            own = (*path, "wall")
            depth, radius = self._place(said, rod, "wall", path), self._radius(rod, own)
            skin = self._place(said, rod, "skin", path) if "skin" in said else "0"
            radius = f"({radius}) - ({skin})" if "skin" in said else radius
            # Integrals over angles and over radii from r - w to r.
            factors = {
                "area": ((last - first) / 2, 2),
                "moment_y": ((math.sin(last) - math.sin(first)) / 3, 3),
                "moment_z": ((math.cos(first) - math.cos(last)) / 3, 3),
            }
            texts = {
                key: f"{factor!r}*(({radius})**{power} - (({radius}) - ({depth}))**{power})"
                if abs(factor) > _ROUNDING
                else "0"
                for key, (factor, power) in factors.items()
            }
            texts = {key: self.bound(BeamExpression(text), own).text for key, text in texts.items()}
            wall = {"skin": skin, "wall": depth, "angles": (first, last)}
        found = span | texts
        for keys, words in chamber_faults(Chamber(name="", **found, **wall), rod):
            raise self.refusal((*path, *(keys if not wall or keys == ("angles",) else ("wall",))), words)
        return found | (wall if rod.section_shapes else {})

    def _place(self, said: Said, rod: Soft, key: str, path: Path) -> str:
        path, text = (*path, key), said.get(key, "0")
        radius = BeamExpression(self._radius(rod, path)).text if asks_radius(text) else ""
        return self.bound(routed(text, radius), path).text

    def _span(self, said: Said, path: Path) -> tuple[Soft, dict[str, Any]]:
        link, path = said["link"], (*path, "link")
        rod = self._rods.get(link)
        if link not in self._rods:
            raise self.refusal(path, f": link {shown(link)} is unknown{hint(link, self._rods)}")
        if rod is None:
            raise self.refusal(path, f": link {shown(link)} is not soft; name a soft link")
        return rod, {"link": link, "start": said.get("from", 0.0), "end": said.get("to", rod.length)}

    def _radius(self, rod: Soft, path: Path) -> str:
        if not rod.section.radius:
            raise self.refusal(path, f": a section of shape {rod.section.shape} has no radius; give a number")
        return rod.section.radius
