"""The JAX back end gives the evaluator's numbers, and its functions can be transformed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from symdyn.emit.module import emit_module
from symdyn.scalars.floats import FloatAlgebra
from symdyn.tape.evaluate import evaluate_program

pytestmark = pytest.mark.peers

NAMES = ("every_operation", "awkward_constants", "looped", "product_remainder", "overlapping", "nothing_moves")


def _import(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def samples() -> ModuleType:
    return _import(Path(__file__).parents[1] / "emit" / "sample_programs.py", "sample_programs_for_jax")


@pytest.fixture
def load_jax(tmp_path: Path) -> Callable[..., ModuleType]:
    def load(*programs: Any) -> ModuleType:
        files = emit_module(programs, robot="toy", version="0.1.0", target="jax", load_options={}, robot_yaml="")
        (tmp_path / "toy_jax.py").write_text(next(file.text for file in files if file.path == "python/toy_jax.py"))
        return _import(tmp_path / "toy_jax.py", "generated_toy_jax")

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
                np.testing.assert_allclose(
                    flat, wanted[item.name], rtol=1e-14, atol=1e-15 * (name != "product_remainder")
                )


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


def test_wrong_inputs_are_refused(samples: ModuleType, load_jax: Callable[..., ModuleType]) -> None:
    module = load_jax(samples.looped())
    with pytest.raises(ValueError, match=r"looped: expected q of shape \(6,\), got \(5,\)"):
        module.looped(np.zeros(5, np.float32), np.zeros(1, np.float32))
    with pytest.raises(TypeError, match="looped: p holds complex64, expected real numbers"):
        module.looped(np.zeros(6, np.float32), np.zeros(1, np.complex64))
    assert module.signature("looped")["function"] == "looped"
