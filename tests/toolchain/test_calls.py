"""What a loaded function gives and refuses; every test holds for the extension and for ctypes."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from symdyn.compiler.emit.extension import row_hint
from symdyn.errors import RequestError
from symdyn.interface.signature import Argument
from symdyn.toolchain.module import Module

pytestmark = pytest.mark.needs_cc
RNG = np.random.default_rng(20)
Q, V, A = RNG.normal(size=(3, 7))


def inverse_dynamics(q: Any, v: Any, a: Any) -> Any:
    return np.arange(1, 8) * np.asarray(a) + np.asarray(v) * np.asarray(q)[..., ::-1]


def refused(call: Any, message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        call()


def test_one_state(module: Module) -> None:
    tau = module.inverse_dynamics(Q, V, A)
    assert tau.shape == (7,)
    assert tau.dtype == np.float64
    np.testing.assert_allclose(tau, inverse_dynamics(Q, V, A), rtol=1e-14)


def test_names_in_any_order(module: Module) -> None:
    expected = module.inverse_dynamics(Q, V, A)
    np.testing.assert_array_equal(module.inverse_dynamics(Q, a=A, v=V), expected)
    np.testing.assert_array_equal(module.inverse_dynamics(a=A, v=V, q=Q, out=None), expected)


def test_two_outputs_and_a_scalar(module: Module) -> None:
    table, total = module.products(Q[:3], V[:2])
    np.testing.assert_allclose(table, np.outer(Q[:3], V[:2]), rtol=1e-15)
    assert isinstance(total, np.float64)
    assert total == pytest.approx(table.sum(), rel=1e-13)
    table, total = module.products(RNG.normal(size=(4, 5, 3)), V[:2])
    assert (table.shape, total.shape) == ((4, 5, 3, 2), (4, 5))
    np.testing.assert_allclose(total, table.sum(axis=(-1, -2)), rtol=1e-11)


@pytest.mark.parametrize(
    "leads",
    [
        ((5,), (5,), (5,)),
        ((), (5,), (5,)),
        ((5,), (), ()),
        ((2, 3), (3,), ()),
        ((2, 1), (3,), (2, 3)),
        ((1,), (1, 1), ()),
        ((2, 1, 4), (1, 3, 1), (4,)),
        ((1, 5), (5,), (1, 1)),
    ],
)
def test_leading_dimensions_broadcast(module: Module, leads: tuple[tuple[int, ...], ...]) -> None:
    q, v, a = (RNG.normal(size=(*lead, 7)) for lead in leads)
    tau = module.inverse_dynamics(q, v, a)
    assert tau.shape == (*np.broadcast_shapes(*leads), 7)
    np.testing.assert_allclose(tau, inverse_dynamics(q, v, a), rtol=1e-11, atol=1e-14)


def test_batch_equals_single_calls_bit_for_bit(module: Module) -> None:
    q, v, a = RNG.normal(size=(3, 100, 7))
    singles = np.array([module.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)])
    np.testing.assert_allclose(module.inverse_dynamics(q, v, a), singles, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("shape", [(0, 7), (3, 0, 7)])
def test_no_states(module: Module, shape: tuple[int, ...]) -> None:
    assert module.inverse_dynamics(np.empty(shape), V, A).shape == shape
    table, total = module.products(np.empty((0, 3)), V[:2])
    assert (table.shape, total.shape) == ((0, 3, 2), (0,))


def test_zero_states_do_not_broadcast_with_two(module: Module) -> None:
    refused(
        lambda: module.inverse_dynamics(np.empty((0, 7)), np.empty((2, 7)), A),
        "leading dimensions (2,) of argument 'v' do not broadcast with (0,) of the arguments before it",
    )


def test_one_vector_of_parameters_serves_all_states(module: Module) -> None:
    q, p = RNG.normal(size=(6, 3)), np.array([2.0, 0.5])
    np.testing.assert_allclose(module.scaled(q, p), 2.0 * q + 0.5, rtol=1e-14)
    np.testing.assert_allclose(module.scaled(q[0], p=[2, 0]), 2.0 * q[0], rtol=1e-14)
    for v in (RNG.normal(size=3), RNG.normal(size=(6, 3)), RNG.normal(size=(2, 1, 3))):
        np.testing.assert_allclose(module.shifted(q, v, p), 2.0 * q + v - 0.5, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(module.scaled(q, p[None]), 2.0 * q + 0.5, rtol=1e-14)
    refused(lambda: module.scaled(q, np.ones((6, 3))), "scaled: argument 'p' has shape (6, 3), expected (..., 2)")


@pytest.mark.parametrize(
    "leads",
    [
        ((6,), (6,), (6,)),
        ((), (), (6,)),
        ((6,), (), (6,)),
        ((4, 6), (6,), (4, 1)),
        ((1,), (6,), (4, 1)),
        ((6,), (1, 6), (2, 1, 1)),
        ((0,), (), (1,)),
        ((), (3, 1), (0,)),
    ],
)
def test_parameters_broadcast_as_every_input(module: Module, leads: tuple[tuple[int, ...], ...]) -> None:
    q, v, p = (RNG.normal(size=(*lead, size)) for lead, size in zip(leads, (3, 3, 2), strict=True))
    expected = q * p[..., :1] + v - p[..., 1:]
    found = module.shifted(q, v, p)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)
    out = np.empty(expected.shape)
    assert module.shifted(q, v, p, out=out) is out
    np.testing.assert_array_equal(out, found)


def test_parameters_of_each_state_equal_single_calls_bit_for_bit(module: Module) -> None:
    q, p = RNG.normal(size=(100, 3)), RNG.normal(size=(100, 2))
    singles = np.array([module.scaled(*state) for state in zip(q, p, strict=True)])
    np.testing.assert_array_equal(module.scaled(q, p), singles)
    refused(
        lambda: module.scaled(q, p[:99]),
        "leading dimensions (99,) of argument 'p' do not broadcast with (100,) of the arguments before it",
    )


def test_workspace(module: Module) -> None:
    x = RNG.normal(size=(3, 4))
    np.testing.assert_allclose(module.reverse_sums(x), x[:, ::-1].cumsum(axis=1)[:, ::-1], rtol=1e-12)
    np.testing.assert_allclose(module.reverse_sums(x[0]), x[0, ::-1].cumsum()[::-1], rtol=1e-12)
    states = np.array([[1.0, 3.0], [2.0, 8.0]])
    expected = np.array([[5000.0, 3.0], [10000.0, 4.0]])
    np.testing.assert_array_equal(module.large_workspace(states), expected)
    np.testing.assert_array_equal(module.large_workspace(states[1]), expected[1])


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u8", "f2", "f4", ">f8", "g", ">i4", "?"])
def test_numbers_that_fit_are_converted(module: Module, dtype: str) -> None:
    q = np.array([1, 0, 1, 1, 0, 0, 1]).astype(dtype)
    expected = inverse_dynamics(q.astype(float), V, A)
    np.testing.assert_allclose(module.inverse_dynamics(q, V, A), expected, rtol=1e-14)


def test_lists_and_views_are_read(module: Module) -> None:
    expected = module.inverse_dynamics(Q, V, A)
    np.testing.assert_array_equal(module.inverse_dynamics(list(Q), tuple(V), A), expected)
    wide = np.zeros((7, 14))
    wide[:, ::2] = Q[:, None]
    raw = np.zeros(57, np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = A
    assert not unaligned.flags.aligned
    reversed_v = np.ascontiguousarray(V[::-1])[::-1]
    np.testing.assert_array_equal(module.inverse_dynamics(wide[:, 4], reversed_v, unaligned), expected)
    frozen = Q.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(module.inverse_dynamics(frozen, V, A), expected)
    np.testing.assert_array_equal(module.inverse_dynamics(np.ma.masked_array(Q), V, A), expected)
    batch = np.asfortranarray(RNG.normal(size=(5, 7)))
    np.testing.assert_allclose(module.inverse_dynamics(batch, V, A), inverse_dynamics(batch, V, A), rtol=1e-11)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (Q.astype(complex), "complex128"),
        (np.array([None] * 7), "object"),
        (["1"] * 7, "<U1"),
        ([b"1"] * 7, "|S1"),
        (Q.astype("m8[s]"), "timedelta64[s]"),
        (None, "object"),
        ([2**70] * 7, "object"),
    ],
)
def test_what_is_not_a_real_number_is_refused(module: Module, value: Any, dtype: str) -> None:
    refused(
        lambda: module.inverse_dynamics(value, V, A),
        f"argument 'q' has dtype {dtype}, expected real numbers; pass it as float64",
    )


def test_ragged_lists_are_refused(module: Module) -> None:
    refused(
        lambda: module.inverse_dynamics([1.0, [2.0]], V, A),
        "inverse_dynamics: argument 'q' is not an array of numbers; expected float64 of shape (..., 7)",
    )


class Interrupted:
    """An array-like whose conversion fails for a reason of its own."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise KeyboardInterrupt("stopped")


def test_foreign_failures_pass_through(module: Module) -> None:
    with pytest.raises(KeyboardInterrupt, match="stopped"):
        module.inverse_dynamics(Interrupted(), V, A)


def test_wrong_shapes_name_the_rows(module: Module) -> None:
    rows = ", ".join(f'q "{index}"%s' for index in range(7))
    refused(
        lambda: module.inverse_dynamics(Q[:6], V, A),
        f"inverse_dynamics: argument 'q' has shape (6,), expected (..., 7): {rows}",
    )
    refused(lambda: module.inverse_dynamics(Q, 1.0, A), "argument 'v' has shape (), expected (..., 7)")
    refused(lambda: module.inverse_dynamics(Q, V, A[:, None]), "argument 'a' has shape (7, 1), expected (..., 7)")
    refused(lambda: module.products(Q[:3], Q[:3]), "argument 'v' has shape (3,), expected (..., 2)")


def test_wrong_leading_dimensions_are_both_named(module: Module) -> None:
    refused(
        lambda: module.inverse_dynamics(np.ones((4, 2, 7)), np.ones((3, 7)), A),
        "leading dimensions (3,) of argument 'v' do not broadcast with (4, 2) of the arguments before it",
    )


def test_wrong_arguments(module: Module) -> None:
    call = module.inverse_dynamics
    refused(lambda: call(Q, V, A, A), "expected at most 3 arrays (q, v, a), got 4 positional arguments")
    refused(lambda: call(Q, V), "argument 'a' is missing; it takes q, v, a and out=")
    refused(lambda: call(), "argument 'q' is missing; it takes q, v, a and out=")
    refused(lambda: call(Q, V, qdd=A), "unknown argument 'qdd'; it takes q, v, a and out=")
    refused(lambda: call(Q, V, A, q=Q), "argument 'q' was given twice")


def test_not_finite_numbers_pass_through(module: Module) -> None:
    a = A.copy()
    a[2], a[3] = np.nan, np.inf
    tau = module.inverse_dynamics(Q, V, a)
    assert np.isnan(tau[2])
    assert tau[3] == np.inf
    assert np.isfinite(tau[[0, 1, 4, 5, 6]]).all()


def test_one_input_may_be_given_twice(module: Module) -> None:
    np.testing.assert_allclose(module.inverse_dynamics(Q, Q, Q), inverse_dynamics(Q, Q, Q), rtol=1e-14)


def test_single_precision(single_module: Module) -> None:
    q, v, a = (value.astype(np.float32) for value in (Q, V, A))
    tau = single_module.inverse_dynamics(q, v, a)
    assert tau.dtype == np.float32
    np.testing.assert_allclose(tau, inverse_dynamics(q, v, a), rtol=1e-5)
    np.testing.assert_array_equal(single_module.inverse_dynamics(q.tolist(), tuple(v), a), tau)
    assert single_module.inverse_dynamics(np.arange(7), v, a).dtype == np.float32
    assert single_module.large_workspace(np.float32([1, 3]))[0] == 5000
    np.testing.assert_array_equal(single_module.inverse_dynamics(Q, V.astype(np.longdouble), A), tau)
    np.testing.assert_array_equal(single_module.inverse_dynamics(np.stack([Q, Q]), V, A), np.stack([tau, tau]))
    assert single_module.inverse_dynamics(np.zeros((0, 7)), V, A).shape == (0, 7)
    refused(
        lambda: single_module.inverse_dynamics(Q * 1j, v, a),
        "argument 'q' has dtype complex128, expected real numbers; pass it as float32",
    )
    refused(
        lambda: single_module.inverse_dynamics(q, v, a, out=np.empty(7)),
        "out for 'tau' has dtype float64, expected float32",
    )


def test_the_function_describes_itself(module: Module) -> None:
    function = module.inverse_dynamics
    assert function.__name__ == "inverse_dynamics"
    assert "q: (..., 7). q of the toy" in function.__doc__
    assert "returns tau: (..., 7). tau of the toy" in function.__doc__
    assert "inverse_dynamics" in repr(function)


def test_the_extension_function_is_a_builtin_with_a_signature(extension: Module) -> None:
    assert inspect.isbuiltin(extension.inverse_dynamics)
    assert list(inspect.signature(extension.scaled).parameters) == ["q", "p", "out"]


def test_both_doors_agree_bit_for_bit(extension: Module, library: Module) -> None:
    q, v, a = RNG.normal(size=(3, 50, 7))
    np.testing.assert_array_equal(extension.inverse_dynamics(q, v, a), library.inverse_dynamics(q, v, a))


def test_masked_entries_are_refused(module: Module) -> None:
    whole = np.ma.array(Q, mask=False)
    np.testing.assert_array_equal(module.inverse_dynamics(whole, V, A), module.inverse_dynamics(Q, V, A))
    holes = np.ma.array(np.stack([V, V]), mask=[[False] * 7, [*[False] * 6, True]])
    for given in (holes, [V, holes[1]]):
        refused(
            lambda given=given: module.inverse_dynamics(Q, given, A),  # type: ignore[misc]
            "inverse_dynamics: argument 'v' has masked entries, which have no value; fill them, as by .filled(0.0)",
        )


def test_the_rows_of_a_matrix_are_named() -> None:
    entry = Argument("V", (2, 1), (("v", "v'"), ("elbow",)), ("rad/s", "rad/s^2"), "rates")
    assert row_hint(entry) == ": rows v, v'"
