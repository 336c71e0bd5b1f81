"""Hashes of truths are of all that runs when a truth is computed, and of little else."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from support.oracle_sources import digest_of, reached, roots_of, source_of
from support.tables.table import CASES

from symdyn.verify.oracle import world_quantities
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import Truth, find_truth

ORACLE = "symdyn.verify.oracle"
PLACES = (f"{ORACLE}.", "symdyn.verify.base.")
RUN = (
    "thrown-joint_wrenches",
    "planar-inverse_dynamics-external_wrenches=world",
    "rod-bias",
    "touching_thin-potential_energy",
    "membrane-kinetic_energy",
    "acted-inverse_dynamics",
    "foot-contact_problem-external_wrenches=body",
    "geared-inverse_actuation",
    "fixed_loop-constrained_inverse_dynamics",
    "double_pendulum-inverse_dynamics_time_derivatives-formulation=spatial-order=2",
    "five_bar-statics_residual-prescribed=left_shoulder",
)
"""One of each kind of robot, and of the cheap ones."""


@pytest.mark.parametrize("name", RUN)
def test_what_runs_is_in_the_hash(name: str) -> None:
    (case,) = (own for own in CASES if str(own) == name)
    signature, truth, state = case.signature, find_truth(case.function), case.truth().states[0]
    ran: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith(PLACES) and frame.f_code.co_filename != "<string>":
            ran.add((module, frame.f_code.co_qualname.partition(".")[0]))

    sys.setprofile(note)
    try:
        setting = make_setting(case.made.description, signature, case.made.load_options())
        truth(setting, state.inputs)
    finally:
        sys.setprofile(None)
    wanted = reached({root for part in (truth.compute, make_setting, Truth.__call__) for root in roots_of(part)})
    assert len(ran) > 10
    assert ran <= wanted


def test_energies_do_not_reach_second_derivatives_and_name_what_they_reach() -> None:
    found = reached(roots_of(world_quantities.gravity))
    assert (f"{ORACLE}.world_quantities", "gravity") in found
    assert ("symdyn.verify.base.curves", "Curve") in found
    assert (f"{ORACLE}.second_order", "forward_dynamics_weighted_hessian") not in found
    assert source_of((f"{ORACLE}.world_quantities", "gravity")).startswith("def gravity(")
    assert digest_of([world_quantities.gravity]) != digest_of([world_quantities.center_of_mass])
