"""Exact poses and strains of the nodes of rods."""

from __future__ import annotations

from mpmath import mp

from symdyn.verify.base.matrices import Real, add, scale, vector
from symdyn.verify.oracle.exact import Exact, forwards
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.rod_sections import node_name
from symdyn.verify.oracle.rod_strains import reference_strain, strain_columns
from symdyn.verify.oracle.setting import Inputs, Setting

_BEFORE = mp.mpf(10) ** -45
"""How far before a node its strain is taken, per its distance from the root: functions may jump there."""


def station_poses(setting: Setting, inputs: Inputs) -> Exact:
    """Homogeneous matrices of all nodes, (ns, 4, 4)."""
    links, found = robot_pose(setting, inputs["q"], inputs).motion.links, list[Real]()
    for place in setting.tree.rods:
        for index in range(len(place.rod.nodes)):
            moving = links[node_name(place.joint.parent, index)]
            for row, height in zip(moving.rotation[0], moving.origin[0], strict=True):
                found += [*row, height]
            found += [mp.mpf(0)] * 3 + [mp.mpf(1)]
    return forwards(found)


def station_strains(setting: Setting, inputs: Inputs) -> Exact:
    """The strains of all nodes, (ns, 6)."""
    q, found = vector(inputs["q"]), list[Real]()
    for place in setting.tree.rods:
        assert place.soft is not None
        for node in place.rod.nodes:
            x = node.x * (1 - _BEFORE)
            strain = reference_strain(place.soft, x)
            for own, column in zip(place.coordinates(q), strain_columns(place.soft, x), strict=False):
                strain = add(strain, scale(own, column))
            found += strain if setting.spatial else [*strain[3:], *strain[:3]]
    return forwards(found)
