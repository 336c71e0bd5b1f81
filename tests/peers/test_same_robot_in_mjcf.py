"""A robot of symdyn's YAML beside the same robot in MJCF, which MuJoCo's own compiler expands."""

from __future__ import annotations

import pytest
from support.invariance.formats import SEEDS, differing, mjcf_text, plain

import symdyn

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]


@pytest.mark.parametrize("seed", SEEDS)
def test_mjcf_is_the_same_robot(seed: int) -> None:
    other = symdyn.loads(mjcf_text(plain(seed).description), "mjcf", joint_losses=True)
    assert not differing(plain(seed), other, seed)
