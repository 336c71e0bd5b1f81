"""Verification calls the JAX target itself, in double precision, and leaves JAX as it was."""

from __future__ import annotations

from pathlib import Path

import jax
import pytest

import symdyn
from symdyn import api

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_the_jax_target_is_verified(tmp_path: Path, dtype: str, layout: str) -> None:
    before = jax.config.jax_enable_x64
    robot = symdyn.load_example("double_pendulum")
    folder = symdyn.generate(
        robot, ["inverse_dynamics"], out=tmp_path / "out", target="jax", dtype=dtype, layout=layout
    )
    report = api.verify(folder, states=3)
    assert [result.evaluator for result in report.results] == ["JAX", "Program", "recursion"]
    assert report.passed
    assert jax.config.jax_enable_x64 == before
