"""What is said of flexible links names them as their robot's file does."""

from __future__ import annotations

import pytest
from support.robots.flexible import beam
from support.robots.small import Z, described, joint

from symdyn import api
from symdyn.description.flexible import Basis, Direction
from symdyn.description.robot import JointKind, Link
from symdyn.errors import ModelError


def test_shapes_without_integrals_name_their_link() -> None:
    twelve = beam(1.0, 1.0, 50.0, ((Direction.BEND_Y, 12),), basis=Basis.POLYNOMIAL)
    description = described(
        [Link("base"), Link("arm", flexible=twelve)], [joint("turn", JointKind.REVOLUTE, "base", "arm", axis=Z)]
    )
    with pytest.raises(ModelError, match=r"^bench.*: flexible link 'arm': bend_y: the shapes are not independent"):
        api.from_description(description)


def test_an_amplitude_is_traced_to_its_link() -> None:
    stations = api.trace(api.load_example("flexible_single_link"), "blade.bend_y[1]")
    assert stations[0] == ("description", "flexible link 'blade': amplitude of its shape bend_y[1]")
