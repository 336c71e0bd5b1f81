"""How the generated NumPy module is called: broadcasting, chunks, out=, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def module(
    samples: ModuleType, write_module: Callable[..., Path], load_numpy: Callable[[Path], ModuleType]
) -> ModuleType:
    programs = [samples.looped(), samples.awkward_constants(), samples.every_operation(), samples.nothing_moves()]
    return load_numpy(write_module(programs, "python", samples.ODD_ROBOT))


def test_more_states_than_a_chunk_equal_one_at_a_time(module: ModuleType) -> None:
    q = np.random.default_rng(4).uniform(0.1, 0.9, (2500, 6))
    tau, m, total = module.looped(q, [0.5])
    assert (tau.shape, m.shape, total.shape) == ((2500, 6), (2500, 3, 4), (2500,))
    for state in (0, 1023, 1024, 2499):
        one = module.looped(q[state], [0.5])
        for whole, single in zip((tau, m, total), one, strict=True):
            np.testing.assert_allclose(whole[state], single, rtol=1e-15, atol=1e-15)


def test_leading_dimensions_broadcast(samples: ModuleType, write_module: Any, load_numpy: Any) -> None:
    build = samples.TapeBuilder("sum", [samples.Port("a", 2), samples.Port("b", 2)], [samples.Port("y", 1)])
    total = build.op("add", build.input(0, 0), build.input(1, 1))
    module = load_numpy(write_module([samples.straight(build.tape([total]), "total")], "python"))
    a, b = np.arange(6.0).reshape(3, 1, 2), np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(module.total(a, b)[..., 0], a[..., 0] + b[..., 1])
    np.testing.assert_array_equal(module.total([1, 2], b)[..., 0], 1.0 + b[..., 1])
    assert module.total(np.zeros((0, 2)), [1.0, 2.0]).shape == (0, 1)
    with pytest.raises(ValueError, match=r"total: leading dimensions do not broadcast: a \(3, 2\), b \(4, 2\)"):
        module.total(np.zeros((3, 2)), b)


def test_out_is_filled_and_given_back(module: ModuleType) -> None:
    x = np.full((3, 4), 0.5)
    out = np.empty((3, 36))
    assert module.every_operation(x, out=out) is out
    np.testing.assert_array_equal(out, module.every_operation(x))
    pair = (np.empty((2, 24)), np.empty((2, 5)))
    assert module.awkward_constants(np.zeros((2, 2)), out=pair) is pair
    np.testing.assert_array_equal(pair[1], module.awkward_constants(np.zeros((2, 2)))[1])


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((3, 35)), "expected out for y to be a writeable C-contiguous float64 array of shape"),
        (np.empty((3, 36), np.float32), "float64 array"),
        (np.empty((36, 3)).T, "C-contiguous"),
        ([np.empty((3, 36))] * 2, "expected 1 arrays in out, got 2"),
        ("text", "C-contiguous"),
    ],
)
def test_out_that_does_not_fit_is_refused(module: ModuleType, out: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        module.every_operation(np.full((3, 4), 0.5), out=out)


def test_out_may_overlap_nothing(module: ModuleType) -> None:
    memory = np.zeros(60)
    with pytest.raises(ValueError, match="out for y overlaps another argument"):
        module.every_operation(memory[:4], out=memory[2:38])
    with pytest.raises(ValueError, match="out for y overlaps another argument"):
        module.awkward_constants(np.zeros(2), out=(memory[:24], memory[20:25]))
    with pytest.raises(ValueError, match="expected out for y"):
        readonly = np.zeros(36)
        readonly.flags.writeable = False
        module.every_operation(memory[:4], out=readonly)


@pytest.mark.parametrize(
    ("q", "p", "error", "message"),
    [
        (np.zeros(5), [1.0], ValueError, r"looped: expected q of shape \(\.\.\., 6\), got \(5,\)"),
        (0.5, [1.0], ValueError, r"expected q of shape \(\.\.\., 6\), got \(\)"),
        (np.zeros(6), np.ones((4, 1)), ValueError, r"expected p of shape \(1\), got \(4, 1\)"),
        (np.zeros(6, complex), [1.0], TypeError, "q holds complex128, expected real numbers"),
        (["a"] * 6, [1.0], TypeError, "expected real numbers"),
    ],
)
def test_wrong_inputs_are_refused(module: ModuleType, q: Any, p: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        module.looped(q, p)


def test_numbers_outside_of_a_domain_pass_through(module: ModuleType) -> None:
    for x in (np.full(4, -2.0), np.full((2, 4), -2.0), np.full(4, np.nan), np.full((2, 4), np.inf)):
        assert np.isnan(module.every_operation(x)).any()


def test_signatures_are_plain_data_with_the_users_names(module: ModuleType, samples: ModuleType) -> None:
    data = module.signature("looped")
    assert data["inputs"][0]["rows"] == [list(samples.ODD_JOINTS)]
    assert data["robot"] == "toy" and data["operations"] == 90
    assert module.signature("every_operation")["counts"]["sincos"] == 2
    assert set(module.__all__) == {"signature", "looped", "awkward_constants", "every_operation", "nothing_moves"}
    assert "1 a_b" in module.looped.__doc__ and "[rad]" in module.looped.__doc__


def test_empty_arguments(module: ModuleType) -> None:
    tau, energy = module.nothing_moves(np.zeros((5, 0)))
    assert tau.shape == (5, 0)
    np.testing.assert_array_equal(energy, np.full((5, 1), 2.5))
