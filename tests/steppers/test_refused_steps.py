"""Steps, spans and tolerances that make no sense, in C itself, and a workspace of zeros."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.interface.stepping import ADAPTIVE, METHODS
from symdyn.toolchain.steppers import StepCode

pytestmark = pytest.mark.needs_cc
NAN, INF = float("nan"), float("inf")
BAD = [0.0, -1e-3, NAN, INF, -INF]
Q, V, TAU = np.array([0.4, -0.3]), np.array([1.0, 2.0]), np.array([0.5, 0.1])


@cache
def _library(prescribed: bool = False) -> ctypes.CDLL:
    robot = symdyn.load_example("double_pendulum")
    methods = METHODS[-1:] if prescribed else METHODS
    asked: dict[str, Any] = {"prescribed": ["elbow"]} if prescribed else {"order": 6}
    module = symdyn.compile(robot, ["implicit_residual"], lanes=False, steppers=list(methods), **asked)
    return ctypes.CDLL(str(module.path))


def _call(name: str, *arguments: Any) -> StepCode:
    function = _library("prescribed" in name)[f"double_pendulum_step_{name.removeprefix('prescribed ')}"]
    function.restype = ctypes.c_int
    kinds: dict[type, Any] = {
        np.ndarray: lambda x: ctypes.c_void_p(x.ctypes.data),
        float: ctypes.c_double,
        int: ctypes.c_size_t,
    }
    return StepCode(function(*(kinds[type(own)](own) for own in arguments)))


def _stem(method: str) -> str:
    return method.replace("-", "_")


def _inputs(method: str) -> list[np.ndarray]:
    return [Q, V, np.concatenate([TAU, np.zeros(12)]) if method == "taylor" else TAU]


def _step(method: str, h: float, work: np.ndarray) -> tuple[StepCode, np.ndarray]:
    end = np.full(4, 7.0)
    return _call(_stem(method), *_inputs(method), h, end[:2], end[2:], work), end


def _advance(method: str, times: list[float], settings: tuple[float, ...]) -> tuple[StepCode, list[int]]:
    at, counts = np.full((2, len(times), 2), 7.0), np.full(3, 9, dtype=np.uint64)
    name, grid = f"{_stem(method)}_advance", np.array(times)
    code = _call(name, *_inputs(method), grid, len(times), *settings, 100, at[0], at[1], counts, np.zeros(4000))
    if code is StepCode.BAD_SETTINGS:
        assert np.all(at == 7.0)
    return code, counts.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_bad_steps_spans_and_tolerances_are_refused(method: str) -> None:
    for h in BAD:
        assert _step(method, h, np.zeros(4000))[0] is StepCode.BAD_SETTINGS, h
    assert _step(method, 1e-3, np.zeros(4000))[0] is StepCode.DONE
    settings: tuple[float, ...] = (1e-6, 1e-6) if method in ADAPTIVE else (1e-3,)
    for times in ([0.0, -0.01], [0.0, 0.01, 0.005], [0.0, NAN], [NAN, 0.01], [0.0, INF], [-INF, 0.0]):
        assert _advance(method, times, settings) == (StepCode.BAD_SETTINGS, [0, 0, 0]), times
    for bad in (value for value in BAD if value != 0.0 or method not in ADAPTIVE):
        wrong = [(bad, 1e-6), (1e-6, bad)] if method in ADAPTIVE else [(bad,)]
        for own in wrong:
            assert _advance(method, [0.0, 0.01], own) == (StepCode.BAD_SETTINGS, [0, 0, 0]), own
    if method in ADAPTIVE:
        assert _advance(method, [0.0, 0.01], (0.0, 0.0))[0] is StepCode.BAD_SETTINGS
        assert _advance(method, [0.0, 0.01], (0.0, 1e-6))[0] is StepCode.DONE
    code, counts = _advance(method, [0.0, 0.0, 0.01, 0.01], settings)
    assert (code, counts[2]) == (StepCode.DONE, 4)


def test_a_workspace_of_zeros_is_a_start() -> None:
    """The first step is that after ``_start``, bit by bit, and the second goes on from it."""
    started, zeros = np.full(4000, NAN), np.zeros(4000)
    assert _call("generalised_alpha_start", *_inputs("generalised-alpha"), started) is StepCode.DONE
    for _ in range(2):
        (code, wanted), found = _step("generalised-alpha", 0.01, started), _step("generalised-alpha", 0.01, zeros)
        assert (code, found[0]) == (StepCode.DONE, StepCode.DONE)
        assert np.array_equal(wanted, found[1])
        assert np.abs(wanted - np.concatenate([Q, V])).max() > 1e-3
    after = _step("generalised-alpha", 0.01, np.zeros(4000))[1]
    assert not np.array_equal(after, wanted)  # what is remembered matters


def test_prescribed_joints_ask_for_a_start() -> None:
    name, end, told = "prescribed generalised_alpha", np.full(4, 7.0), np.array([-0.28, 2.0, 0.0])
    given, work = [Q, V, TAU, told], np.zeros(4000)
    assert _call(name, *given, 0.01, end[:2], end[2:], work) is StepCode.NOT_STARTED
    first = [Q, V, TAU, np.array([-0.3, 2.0, 0.0])]
    assert _call(f"{name}_start", *first, work) is StepCode.DONE
    assert _call(name, *given, 0.01, end[:2], end[2:], work) is StepCode.DONE
    assert end[1] == pytest.approx(-0.28)
    for h in BAD:
        assert _call(name, *given, h, end[:2], end[2:], work) is StepCode.BAD_SETTINGS, h
    at, counts, led = np.full((2, 2, 2), 7.0), np.zeros(3, dtype=np.uint64), np.array([[-0.3, 2.0, 0.0], told])
    for times, h in (
        ([0.0, -0.01], 1e-3),
        ([0.0, NAN], 1e-3),
        ([0.0, INF], 1e-3),
        *(([0.0, 0.01], own) for own in BAD),
    ):
        asked = [Q, V, TAU, led, np.array(times), 2, h, 100, at[0], at[1], counts, work]
        assert _call(f"{name}_advance", *asked) is StepCode.BAD_SETTINGS, (times, h)
        assert np.all(at == 7.0)
