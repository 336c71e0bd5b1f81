"""Gradients of the design examples at random designs, by central differences, and their closed forms."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.slow


def _example(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module(name)


def test_slopes_of_reach_are_those_of_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    example, rng = _example("design_soft_arm", monkeypatch), np.random.default_rng(5)
    reach = example.Reach()
    for _ in range(3):
        radii = rng.uniform(10.0, 16.0, example.SEGMENTS)
        x = np.concatenate([radii, rng.uniform(0.2, 0.8, radii.shape) * radii, rng.uniform(5.0, 40.0, 3)])
        _, slope = reach(x)
        # Differences of step 1e-3 miss by its square times third derivatives, some 1e-6 of the slopes.
        np.testing.assert_allclose(slope, example.difference(reach, x), atol=1e-6 * np.abs(slope).max())
    built, _ = example.built_reach(x)
    assert built == pytest.approx(reach(x)[0], rel=1e-9)


def test_slopes_of_heat_and_closed_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    example, rng = _example("design_spring_and_gear", monkeypatch), np.random.default_rng(6)
    heat = example.Heat()
    for _ in range(5):
        p = np.column_stack([rng.uniform(5.0, 90.0, 2), rng.uniform(-1.0, 1.0, 2), rng.uniform(20.0, 150.0, 2)]).ravel()
        _, slope = heat(p)
        np.testing.assert_allclose(slope, example.difference(heat, p), atol=1e-8 * np.abs(slope).max())
        for rows, closed in (([0, 1, 3, 4], example.fitted_spring(heat, p)), ([2, 5], example.matched_gears(heat, p))):
            _, left = heat(closed)
            size = np.abs(slope * np.maximum(np.abs(p), 1.0)).max()
            assert np.abs(left * np.maximum(np.abs(p), 1.0))[rows].max() < 1e-9 * size


def test_the_taper_reaches_as_far_as_that_of_ipopt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rests as unknowns, and second derivatives of graphs, in place of adjoints along rests and SLSQP."""
    example = _example("design_soft_arm", monkeypatch)
    monkeypatch.syspath_prepend(str(EXAMPLES.parent / "benchmarks"))
    rival = importlib.import_module("design_by_ipopt")
    start = np.repeat([example.RADIUS, example.HEIGHT, example.TENSION], example.SIZES)
    reach = example.Reach()
    cable, _ = example.best(reach, start, tapered=False)
    design, _ = example.best(reach, cable)
    reached, _, told = rival.by_ipopt(example, start)
    assert told["success"]
    assert reach(design)[0] == pytest.approx(reached, rel=1e-6)
