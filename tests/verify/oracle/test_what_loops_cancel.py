"""The oracle of loops: what it measures errors against, which states it leaves out, and locked joints of couplings."""

from __future__ import annotations

import pytest
from mpmath import mp
from support.looped_checks import verified
from support.robots.rolling import SLEIGH, robot
from support.robots.shipped_loops import shipped
from support.robots.soft_looped import bent_rod

from symdyn import api
from symdyn.verify.base.dense import SingularMatrixError
from symdyn.verify.oracle.dependence import refuse_dependent, unit_matrix
from symdyn.verify.oracle.tree_alone import TreeAlone


@pytest.mark.parametrize(("least", "refused"), [("2e-5", True), ("9e-5", True), ("1.1e-4", False), ("0.1", False)])
def test_states_in_which_proximal_steps_fall_short_are_left_out(least: str, refused: bool) -> None:
    """Two rows of length one, whose S has the eigenvalues w and 2 - w: three steps leave (1e-9 / (1e-9 + w))^3."""
    with mp.workdps(50):
        w = mp.mpf(least)
        slopes = [[mp.mpf(1), mp.mpf(0)], [1 - w, mp.sqrt(1 - (1 - w) ** 2)]]
        assert ((1e-9 / (1e-9 + w)) ** 3 > 1e-15) is refused
        if refused:
            with pytest.raises(SingularMatrixError, match="rows 'first', 'second' of the loops depend on each other"):
                refuse_dependent(unit_matrix(2), slopes, ("first", "second"))
        else:
            refuse_dependent(unit_matrix(2), slopes, ("first", "second"))


def test_parts_that_cancel_count() -> None:
    """A body of 1 / 100 kg that one row holds: a push of 3 N moves it by 300 m/s^2, and the loop takes these off."""
    with mp.workdps(50):
        parts = TreeAlone.of([[mp.mpf("0.01")]], [[mp.mpf(1)]])
        sizes = parts.sizes([[mp.mpf(3)]], [[mp.mpf("0.5")]])
        assert [float(x) for (x,) in sizes] == pytest.approx([600.5, 3.005])


def test_joints_of_couplings_may_be_locked() -> None:
    gear = robot(SLEIGH + "  gear: {kind: coupling, terms: {x: 1, y: -2}}\n", locked_joints=(("x", 0.4),))
    verified(gear, ("constraint_error", "constraint_jacobian", "constraint_bias"), 1)


@pytest.mark.slow
def test_a_mechanism_in_which_nothing_is_left_to_move() -> None:
    verified(shipped("andrews_squeezer"), ("constrained_hybrid_dynamics",), 1, prescribed=["beta"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_forces_of_a_rod_that_need_no_multipliers() -> None:
    rod = api.from_description(bent_rod())
    verified(rod, ("constrained_inverse_dynamics",), 1, objective="force", actuated=list(rod.coordinate_names))
