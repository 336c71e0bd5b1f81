"""The example of acados: a plan for an arm by its solver, beside IPOPT's plan for the same problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.imports import import_file

import symdyn

# acados is no package of an index. `.ci/run` takes it out of a wheel; docs/casadi.md says how it is found.
pytest.importorskip("acados_template", reason="acados is not installed here (see docs/casadi.md)")
pytestmark = [pytest.mark.peers, pytest.mark.needs_cc]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/acados_arm.py"


def example() -> Any:
    return import_file(EXAMPLE, "acados_arm")


def test_the_plan_of_an_arm_is_that_of_ipopt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_RUN_PATH", "")  # the example sets it
    arm, robot = example(), symdyn.load_example("seven_dof_arm")
    now = np.zeros(2 * robot.nv)
    status, states, torques = arm.planned(arm.plan_by_acados(robot, tmp_path), now)
    wanted, pushed = arm.plan_by_ipopt(robot, now)
    assert status == 0
    assert np.sum(np.abs(torques) > (1.0 - 1e-6) * arm.TORQUE) > 10  # limits act
    np.testing.assert_allclose(states, wanted, rtol=0, atol=1e-6)
    np.testing.assert_allclose(torques, pushed, rtol=0, atol=1e-4)
