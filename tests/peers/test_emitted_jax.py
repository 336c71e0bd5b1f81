"""The JAX back end gives the evaluator's numbers, and its functions can be transformed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from support import sample_programs
from support.imports import import_file
from support.sample_programs import NAMES

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.errors import RequestError

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def samples() -> ModuleType:
    return sample_programs


@pytest.fixture
def load_jax(tmp_path: Path) -> Callable[..., ModuleType]:
    def load(*programs: Any) -> ModuleType:
        files = emit_module(programs, robot="toy", version="0.1.0", target="jax", load_options={}, robot_yaml="")
        (tmp_path / "toy_jax.py").write_text(next(file.text for file in files if file.path == "python/toy_jax.py"))
        return import_file(tmp_path / "toy_jax.py", "generated_toy_jax")

    return load


@pytest.mark.parametrize("name", NAMES)
def test_numbers(samples: ModuleType, load_jax: Callable[..., ModuleType], name: str) -> None:
    program = getattr(samples, name)()
    rng = np.random.default_rng(5)
    with jax.enable_x64(True):
        function = jax.jit(getattr(load_jax(program), name))
        for _ in range(3):
            inputs = {item.name: rng.uniform(0.1, 0.9, item.size) for item in program.signature.inputs}
            wanted = evaluate_program(program, FloatAlgebra(), {key: value.tolist() for key, value in inputs.items()})
            got = function(**inputs)
            outputs = program.signature.outputs
            for item, value in zip(outputs, got if len(outputs) > 1 else [got], strict=True):
                assert value.shape == item.shape and value.dtype == jnp.float64
                flat = np.asarray(value).reshape(-1)
                # What a product leaves over is 5e-17 or nothing: JAX may fuse, and promises neither.
                np.testing.assert_allclose(flat, wanted[item.name], rtol=1e-14, atol=1e-15)


def test_many_states_and_derivatives(samples: ModuleType, load_jax: Callable[..., ModuleType]) -> None:
    module = load_jax(samples.looped())
    q = np.random.default_rng(6).uniform(0.1, 0.9, (4, 6))
    p = np.array([0.5])
    with jax.enable_x64(True):
        tau = jax.vmap(lambda state: module.looped(state, p)[0])(q)
        single = np.stack([module.looped(state, p)[0] for state in q])
        np.testing.assert_allclose(tau, single, rtol=1e-14)
        total = lambda state: module.looped(state, p)[2]  # noqa: E731
        gradient = jax.grad(total)(q[0])
        step = 1e-6
        for row in range(6):
            shift = np.eye(6)[row] * step
            central = (total(q[0] + shift) - total(q[0] - shift)) / (2 * step)
            np.testing.assert_allclose(gradient[row], central, rtol=1e-7, atol=1e-8)


def test_precision_follows_the_inputs(samples: ModuleType, load_jax: Callable[..., ModuleType]) -> None:
    module = load_jax(samples.looped())
    with jax.enable_x64(True):
        assert module.looped(np.zeros(6, np.float32), np.zeros(1, np.float32))[0].dtype == jnp.float32
        assert module.looped([0] * 6, [1])[0].dtype == jnp.float64


@pytest.mark.parametrize(
    "leads",
    [((4,), ()), ((), (4,)), ((4,), (4,)), ((2, 1), (3,)), ((2, 3), (3,)), ((1,), (2, 1)), ((0,), ()), ((2, 0), (1,))],
)
@pytest.mark.parametrize("jit", [False, True])
def test_leading_dimensions_broadcast(
    samples: ModuleType, load_jax: Callable[..., ModuleType], leads: tuple[tuple[int, ...], ...], jit: bool
) -> None:
    rng = np.random.default_rng(7)
    q, p = (rng.uniform(0.1, 0.9, (*lead, size)) for lead, size in zip(leads, (6, 1), strict=True))
    batch = np.broadcast_shapes(*leads)
    with jax.enable_x64(True):
        one = load_jax(samples.looped()).looped
        many = jax.jit(one) if jit else one
        found = many(q, p)
        assert [item.shape for item in found] == [(*batch, 6), (*batch, 3, 4), batch]
        q, p = np.broadcast_to(q, (*batch, 6)), np.broadcast_to(p, (*batch, 1))
        for place in np.ndindex(batch):
            for whole, single in zip(found, one(q[place], p[place]), strict=True):
                np.testing.assert_allclose(whole[place], single, rtol=1e-14)


@pytest.mark.parametrize("name", ["every_operation", "awkward_constants", "overlapping", "nothing_moves"])
def test_programs_of_every_form_broadcast(samples: ModuleType, load_jax: Callable[..., ModuleType], name: str) -> None:
    program = getattr(samples, name)()
    with jax.enable_x64(True):
        function = getattr(load_jax(program), name)
        states = np.random.default_rng(9).uniform(0.1, 0.9, (3, *program.signature.inputs[0].shape))
        found = function(states)
        found = found if isinstance(found, tuple) else (found,)
        assert [item.shape for item in found] == [(3, *item.shape) for item in program.signature.outputs]
        for number, state in enumerate(states):
            single = function(state)
            for whole, value in zip(found, single if isinstance(single, tuple) else (single,), strict=True):
                np.testing.assert_allclose(whole[number], value, rtol=1e-14)


@pytest.mark.parametrize("jit", [False, True])
def test_single_precision_is_told_once(samples: ModuleType, load_jax: Callable[..., ModuleType], jit: bool) -> None:
    module = load_jax(samples.looped())
    q, p = np.zeros(6), np.ones(1)
    with jax.enable_x64(False):
        function = jax.jit(module.looped) if jit else module.looped
        with pytest.warns(UserWarning, match="JAX computes in float32: call jax.config.update") as told:
            assert function(q, p)[0].dtype == jnp.float32
        assert len(told) == 1 and (jit or told[0].filename == __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            module.looped(np.ones((2, 6)), p)


def test_double_precision_and_modules_for_float32_warn_of_nothing(
    samples: ModuleType, load_jax: Callable[..., ModuleType]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with jax.enable_x64(True):
            assert load_jax(samples.looped()).looped(np.zeros(6), np.ones(1))[0].dtype == jnp.float64
        with jax.enable_x64(False):
            assert load_jax(samples.looped("float32")).looped(np.zeros(6), np.ones(1))[0].dtype == jnp.float32


def test_wrong_inputs_are_refused(samples: ModuleType, load_jax: Callable[..., ModuleType]) -> None:
    module = load_jax(samples.looped())
    q, p = np.zeros(6, np.float32), np.zeros(1, np.float32)
    for call, message in (
        (lambda: module.looped(q[:5], p), r"looped: argument 'q' has shape \(5,\), expected \(\.\.\., 6\)"),
        (lambda: module.looped(q, np.ma.array(p, mask=True)), "argument 'p' has masked entries"),
        (lambda: module.looped(q, [np.ma.masked]), "argument 'p' has masked entries"),
        (lambda: module.looped(q, p * 1j), "argument 'p' has dtype complex64, expected real numbers"),
        (lambda: module.looped(q, ["mass"]), r"argument 'p' is not an array of numbers; .* of shape \(\.\.\., 1\)"),
        (lambda: module.looped(np.zeros((2, 6)), np.zeros((3, 1))), "looped: leading dimensions do not broadcast"),
        (lambda: module.looped(q), r"looped: missing 1 required .* 'p'; it takes \(q, p\)"),
        (lambda: module.looped(q, p, out=q), r"unexpected keyword argument 'out'; it takes \(q, p\)"),
        (lambda: module.signature("gravity"), "no function 'gravity'; this module has looped"),
    ):
        with pytest.raises(RequestError, match=message):
            call()
    assert module.signature("looped")["function"] == "looped"
