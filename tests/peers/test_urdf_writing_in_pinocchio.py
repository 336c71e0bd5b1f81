"""Robots that symdyn writes as URDF, as Pinocchio reads them: the same dynamics as of the file they came from."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from support.pinocchio.twins import data_file

import symdyn

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
FILES = ("ur_description/urdf/ur5_robot.urdf", "talos_data/robots/talos_reduced.urdf", "go2_description/urdf/go2.urdf")


@pytest.mark.parametrize("file", FILES)
def test_inverse_dynamics_of_what_was_written(file: str) -> None:
    path = data_file(file)
    written = symdyn.loads(symdyn.load(path).to_yaml(looks=True), format="yaml").to_urdf()
    first = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    second = pin.buildModelFromXML(written.urdf, pin.JointModelFreeFlyer())
    assert list(first.names) == list(second.names)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = pin.integrate(first, pin.neutral(first), rng.normal(size=first.nv))
        v, a = rng.normal(size=(2, first.nv))
        one, other = (pin.rnea(model, model.createData(), q, v, a) for model in (first, second))
        assert np.abs(one - other).max() <= 1e-14 * np.abs(one).max()
