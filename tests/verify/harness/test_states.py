"""The states of verification: reproducible, representable, with quaternions of unit norm."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest

from symdyn.description.robot import RobotDescription
from symdyn.interface.signature import Argument
from symdyn.verify.harness.states import NEUTRAL_QUATERNION, nearly_unit, verification_states
from symdyn.verify.oracle.tree import public_tree


def arguments(nq: int, nv: int) -> tuple[Argument, ...]:
    def argument(name: str, names: tuple[str, ...]) -> Argument:
        return Argument(name, (len(names),), (names,), ("",), "")

    def numbered(size: int) -> tuple[str, ...]:
        return tuple(str(row) for row in range(size))

    return (argument("q", numbered(nq)), argument("v", numbered(nv)), argument("p", ("arm.mass", "new", "offset")))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values_and_quaternions_are_exact_in_the_format(mixed: RobotDescription, dtype: str) -> None:
    tree = public_tree(mixed)
    states = verification_states(tree, arguments(tree.nq, tree.nv), {"arm.mass": 4.0, "offset": 0.0}, 5, 1, dtype)
    assert len({state.label for state in states}) == len(states) == 15
    # normalising and rounding alone leaves up to 4 u
    bound = 2.0**-53 / 4 if dtype == "float64" else 2.0**-24 / 4
    for state in states:
        for values in state.inputs.values():
            if dtype == "float32":
                assert all(struct.unpack("f", struct.pack("f", value))[0] == value for value in values)
        for row in tree.quaternions:
            quaternion = state.inputs["q"][row : row + 4]
            assert abs(sum(Fraction(value) ** 2 for value in quaternion) - 1) < bound
        mass, new, offset = state.inputs["p"]
        assert 2.0 <= mass <= 6.0 and 0.5 <= new <= 1.5 and abs(offset) <= 0.5


def test_special_poses_come_first(mixed: RobotDescription) -> None:
    tree = public_tree(mixed)
    states = {state.label: state.inputs for state in verification_states(tree, arguments(tree.nq, tree.nv), {}, 0)}
    rest = states["neutral pose at rest"]
    assert not any(rest["v"])
    for row in tree.quaternions:
        assert rest["q"][row : row + 4] == NEUTRAL_QUATERNION
    assert sum(map(abs, rest["q"])) == len(tree.quaternions)
    turned = states["angles of pi/2 in motion"]["q"]
    names = {place.joint.name: place.q_row for place in tree.places}
    assert turned[names["b_turn"]] == math.pi / 2 and turned[names["c_slide"]] == 0.0
    assert turned[names["a_flat"] : names["a_flat"] + 3] == (0.0, 0.0, math.pi / 2)


def test_the_same_seed_draws_the_same_states(mixed: RobotDescription) -> None:
    tree = public_tree(mixed)
    first, second, other = (verification_states(tree, arguments(tree.nq, tree.nv), {}, 3, seed) for seed in (4, 4, 5))
    assert first == second
    assert first != other


def test_nearly_unit_stays_near() -> None:
    quaternion = [0.18, -0.4, 0.3, 0.7]
    norm = math.sqrt(sum(value * value for value in quaternion))
    for found, value in zip(nearly_unit(quaternion), quaternion, strict=True):
        assert found == pytest.approx(value / norm, rel=1e-15)
