"""What out= takes and refuses; every test holds for the extension and for ctypes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from symdyn.errors import RequestError
from symdyn.toolchain.module import Module

pytestmark = pytest.mark.needs_cc
RNG = np.random.default_rng(23)
Q, V, A = RNG.normal(size=(3, 7))


def refused(call: Any, message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        call()


def test_out_is_filled_and_returned(module: Module) -> None:
    out = np.full(7, np.nan)
    assert module.inverse_dynamics(Q, V, A, out=out) is out
    np.testing.assert_array_equal(out, module.inverse_dynamics(Q, V, A))
    assert module.inverse_dynamics(Q, V, A, out=(out,)) is out
    batch = np.full((2, 5, 7), np.nan)
    states = RNG.normal(size=(2, 5, 7))
    assert module.inverse_dynamics(states, V, A, out=batch) is batch
    np.testing.assert_array_equal(batch, module.inverse_dynamics(states, V, A))
    assert module.inverse_dynamics(list(Q), V, A, out=out) is out


def test_out_for_two_outputs(module: Module) -> None:
    table, total = np.empty((3, 2)), np.empty(())
    first, second = module.products(Q[:3], V[:2], out=(table, total))
    assert first is table
    assert second is total
    assert total == pytest.approx(table.sum(), rel=1e-13)
    refused(
        lambda: module.products(Q[:3], V[:2], out=table),
        "products: out must be a tuple of arrays (table, total), got a ndarray"
        if "ctypes" in repr(module.products)
        else "products: out must be a tuple of arrays (table, total), got a numpy.ndarray",
    )
    refused(lambda: module.products(Q[:3], V[:2], out=(table,)), "out must be a tuple of arrays (table, total)")
    refused(lambda: module.products(Q[:3], V[:2], out=(table, 0)), "out for 'total' is a int, expected an array")


def test_out_of_the_wrong_kind(module: Module) -> None:
    def call(out: Any, q: Any = Q) -> Any:
        return lambda: module.inverse_dynamics(q, V, A, out=out)

    refused(call([0.0] * 7), "out must be an array (tau), got a list")
    refused(call(np.empty(7, np.float32)), "out for 'tau' has dtype float32, expected float64")
    refused(call(np.empty(7, ">f8")), "out for 'tau' has dtype >f8, expected float64")
    refused(call(np.empty(8)), "out for 'tau' has shape (8,), expected (7,)")
    refused(call(np.empty((1, 7))), "out for 'tau' has shape (1, 7), expected (7,)")
    refused(call(np.empty(7), np.ones((4, 7))), "out for 'tau' has shape (7,), expected (4, 7)")
    refused(call(np.empty(14)[::2]), "out for 'tau' must be C-contiguous, aligned and writeable")
    frozen = np.empty(7)
    frozen.flags.writeable = False
    refused(call(frozen), "out for 'tau' must be C-contiguous, aligned and writeable")


def test_out_must_not_overlap(module: Module) -> None:
    memory = np.ones(20)
    refused(
        lambda: module.inverse_dynamics(Q, memory[:7], A, out=memory[6:13]),
        "out for 'tau' overlaps argument 'v'; give it memory of its own",
    )
    beside = module.inverse_dynamics(Q, memory[:7], A, out=memory[7:14])
    np.testing.assert_array_equal(beside, module.inverse_dynamics(Q, np.ones(7), A))
    # A reversed view is copied before the call, yet the rule does not depend on what symdyn happens to copy.
    refused(lambda: module.inverse_dynamics(Q, memory[12:5:-1], A, out=memory[2:9]), "overlaps argument 'v'")
    refused(lambda: module.inverse_dynamics(Q, memory[:14:2], A, out=memory[10:17]), "overlaps argument 'v'")
    states = RNG.normal(size=(6, 7))
    refused(lambda: module.inverse_dynamics(states, V, A, out=states), "out for 'tau' overlaps argument 'q'")
    refused(
        lambda: module.products(Q[:3], V[:2], out=(memory[:6].reshape(3, 2), memory[5:6].reshape(()))),
        "out for 'total' overlaps out for 'table'; give it memory of its own",
    )


def test_out_without_states_never_overlaps(module: Module) -> None:
    nothing = np.empty((0, 7))
    assert module.inverse_dynamics(nothing, V, A, out=nothing) is nothing
