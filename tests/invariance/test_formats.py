"""The same robot in YAML and URDF; ``tests/peers`` has it in MJCF."""

from __future__ import annotations

from zlib import crc32

import pytest
from support.invariance.by_rows import ByRows
from support.invariance.formats import SEEDS, differing, plain, urdf_text
from support.invariance.robots import RANDOM, robot, state
from support.invariance.twins import State, compare
from support.rotation import in_turn

import symdyn
from symdyn.robot.shipped.catalogue import SHIPPED

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@pytest.mark.parametrize("seed", SEEDS)
def test_urdf_is_the_same_robot(seed: int) -> None:
    other = symdyn.loads(urdf_text(plain(seed).description), "urdf", joint_losses=True)
    assert not differing(plain(seed), other, seed)


@pytest.mark.parametrize(
    ("function", "name"), in_turn(["inverse_dynamics", "forward_kinematics"], [*SHIPPED, *RANDOM], kept=3)
)
def test_yaml_is_the_same_robot_to_the_last_bit(function: str, name: str) -> None:
    own = robot(name)
    other = symdyn.loads(own.to_yaml(), "yaml", **own.load_options())
    assert other.velocity_names == own.velocity_names
    (found, *more) = compare(ByRows(own, other), State(*state(name, crc32(name.encode())), 5), [function])
    assert not more
    assert found.error == 0.0
