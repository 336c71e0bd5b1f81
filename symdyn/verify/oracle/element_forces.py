"""Exact forces of springs and strain, and of what losses take."""

from __future__ import annotations

from mpmath import mp

from symdyn.verify.base.matrices import Real, Vector, subtract, vector
from symdyn.verify.oracle.beam_loads import add_beam_springs
from symdyn.verify.oracle.drives import add_springs
from symdyn.verify.oracle.exact import Exact, forwards
from symdyn.verify.oracle.rod_springs import add_rod_springs
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.truth import add_losses


def elastic_forces(setting: Setting, inputs: Inputs) -> Exact:
    """What holds springs, beams and rods at rest in their shapes."""
    return forwards(_held(setting, inputs, [mp.mpf(0)] * setting.tree.nv))


def damping_forces(setting: Setting, inputs: Inputs) -> Exact:
    """What their dampers take besides, and the losses of joints where the robot has them."""
    v = vector(inputs["v"])
    found = subtract(_held(setting, inputs, v), _held(setting, inputs, [mp.mpf(0)] * setting.tree.nv))
    if setting.with_losses:
        for place in setting.tree.places:
            add_losses(found, place, setting.quantities(inputs), v)
    return forwards(found)


def _held(setting: Setting, inputs: Inputs, v: Vector) -> list[Real]:
    tau, q, quantities = [mp.mpf(0)] * setting.tree.nv, vector(inputs["q"]), setting.quantities(inputs)
    add_springs(tau, setting.tree, quantities, q, v)
    add_beam_springs(tau, setting.tree, q, v)
    add_rod_springs(tau, setting.tree, quantities, q, v)
    return tau
