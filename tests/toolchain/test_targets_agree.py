"""One robot through every door, compiled C, ctypes and Python: the same calls give, take and refuse the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.extension import imported

import symdyn
from symdyn.errors import RequestError, SymdynWarning
from symdyn.toolchain.module import Module

pytestmark = pytest.mark.needs_cc
RNG = np.random.default_rng(31)
Q, V, A = RNG.normal(size=(3, 5, 2))
P = RNG.uniform(0.5, 2.0, (5, 1))


def compiled(target: str, dtype: str) -> Module:
    robot = symdyn.load_example("double_pendulum", runtime=["lower.mass"])
    if target != "ctypes":
        return symdyn.compile(robot, ["inverse_dynamics"], target=target, dtype=dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMDYN_NO_HEADERS", "1")
        with pytest.warns(SymdynWarning, match="ctypes") as told:
            module = symdyn.compile(robot, ["inverse_dynamics"], dtype=dtype)
        assert [warning.filename for warning in told] == [__file__]
    return module


@pytest.fixture(scope="module", params=["float64", "float32"])
def modules(request: pytest.FixtureRequest) -> dict[str, Module]:
    return {target: compiled(target, request.param) for target in ("c", "ctypes", "python")}


@pytest.mark.parametrize("p", [P[0], P[:1], P, P[:, None], P[None, :, None]])
def test_parameters_broadcast(modules: dict[str, Module], p: Any) -> None:
    results = {target: module.inverse_dynamics(Q, V, A, p) for target, module in modules.items()}
    tolerance = 1e-13 if results["c"].dtype == np.float64 else 1e-5
    lead = np.broadcast_shapes((5,), p.shape[:-1])
    q, v, a = (np.broadcast_to(item, (*lead, 2)) for item in (Q, V, A))
    each = np.broadcast_to(p, (*lead, 1))
    for target, tau in results.items():
        assert tau.shape == (*lead, 2)
        for place in np.ndindex(lead):
            single = modules[target].inverse_dynamics(q[place], v[place], a[place], each[place])
            np.testing.assert_allclose(tau[place], single, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(tau, results["c"], rtol=tolerance, atol=tolerance)


def test_no_states(modules: dict[str, Module]) -> None:
    for module in modules.values():
        assert module.inverse_dynamics(np.zeros((0, 2)), V[0], A[0], P[0]).shape == (0, 2)


def test_out(modules: dict[str, Module]) -> None:
    for target, module in modules.items():
        out = np.empty((5, 2), module.manifest.dtype)
        assert module.inverse_dynamics(Q, V, A, P, out=out) is out, target
        assert module.inverse_dynamics(Q, V, A, P, out=(out,)) is out, target
        np.testing.assert_array_equal(out, module.inverse_dynamics(Q, V, A, P))


REFUSED: dict[str, Callable[[Module], Any]] = {
    "out by position": lambda m: m.inverse_dynamics(Q, V, A, P, np.empty((5, 2), m.manifest.dtype)),
    "out as a list": lambda m: m.inverse_dynamics(Q, V, A, P, out=[np.empty((5, 2), m.manifest.dtype)]),
    "out over an input": lambda m: (lambda q: m.inverse_dynamics(q, V[0], A[0], P[0], out=q))(
        np.zeros(2, m.manifest.dtype)
    ),
    "missing": lambda m: m.inverse_dynamics(Q, V, A),
    "unknown name": lambda m: m.inverse_dynamics(Q, V, A, P, mass=1.0),
    "twice": lambda m: m.inverse_dynamics(Q, V, A, P, q=Q),
    "shape": lambda m: m.inverse_dynamics(Q[:, :1], V, A, P),
    "broadcast": lambda m: m.inverse_dynamics(Q[:3], V, A, P),
    "broadcast of p": lambda m: m.inverse_dynamics(Q, V, A, P[:3]),
    "complex": lambda m: m.inverse_dynamics(Q * 1j, V, A, P),
    "object": lambda m: m.inverse_dynamics(Q, None, A, P),
    "text": lambda m: m.inverse_dynamics(Q, V, "ab", P),
    "ragged": lambda m: m.inverse_dynamics([[1.0], [1.0, 2.0]], V, A, P),
}


@pytest.mark.parametrize("name", REFUSED)
def test_all_refuse_with_one_error(modules: dict[str, Module], name: str) -> None:
    for module in modules.values():
        with pytest.raises(RequestError, match=r"^inverse_dynamics: "):
            REFUSED[name](module)


def test_signatures_agree(modules: dict[str, Module]) -> None:
    plain = modules["python"].inverse_dynamics.func.__globals__["signature"]("inverse_dynamics")
    assert imported(modules["c"]).signature("inverse_dynamics") == modules["c"].signature("inverse_dynamics")
    assert modules["ctypes"].signature("inverse_dynamics") == modules["c"].signature("inverse_dynamics")
    assert plain == modules["c"].signature("inverse_dynamics").to_dict()
