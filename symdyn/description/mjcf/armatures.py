"""Armatures of free joints."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.external_loads import Site
from symdyn.description.fluid import AddedMass
from symdyn.description.mjcf.record import MjJoint, ModelRecord
from symdyn.description.mjcf.refusals import Refusals
from symdyn.description.text.notice import doubt
from symdyn.description.text.position import on_line, shown


def free_armatures(model: ModelRecord, refusals: Refusals) -> Iterator[AddedMass]:
    """The inertia that MuJoCo adds to the six degrees of freedom of free joints with an armature.

    Its kinetic energy is a (v . v + omega . omega) / 2, with the velocity v of the body's origin, and it has no weight.
    That is an added mass that is the same along and about all axes.
    """
    for body in model.bodies:
        for joint in body.joints:
            armature = joint.armature[0]
            if joint.kind is not MjJoint.FREE or not armature:
                continue
            said = f"joint {shown(joint.name)}: armature {armature:g} of a free joint is an inertia without weight here"
            refusals.warnings.append(
                doubt(on_line(refusals.line("joint", joint.name)) + said, "armature of {free joint}")
            )
            entries = (armature,) * 6
            yield AddedMass(f"fluid.{body.name}.added_mass", Site(body.name), entries)
