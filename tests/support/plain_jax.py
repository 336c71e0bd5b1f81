"""A stand-in for the few functions of JAX that generated modules call: eager, over NumPy, and as pure.

It shows that the text computes the right numbers where JAX is not installed. What JAX makes of it (transformations,
compilation, types) is for the tests in ``tests/peers``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from support.imports import import_file


class _Places:
    def __init__(self, array: Array, places: Any = None) -> None:
        self._array, self._places = array, places

    def __getitem__(self, places: Any) -> _Places:
        return _Places(self._array, places)

    def set(self, values: Any) -> Array:
        changed = self._array.copy()
        changed[self._places] = values
        return changed

    def add(self, values: Any) -> Array:
        changed = self._array.copy()
        np.add.at(changed, self._places, values)
        return changed


class Array(np.ndarray):
    """NumPy's array with JAX's updates that leave the array as it is."""

    @property
    def at(self) -> _Places:
        """Where an update is to go."""
        return _Places(self)

    def reshape(self, *shape: Any) -> Array:  # type: ignore[override]
        """As JAX's, which takes no number at all for an array without axes."""
        return super().reshape(shape).view(Array)


def _array(value: Any, dtype: Any = None) -> Array:
    return np.asarray(value, dtype).view(Array)


def _first(buffer: Array, start: Any, size: int) -> int:
    (place,) = start
    place = int(place)
    # JAX would move the slice without a word; a generated module never leaves it to that.
    assert 0 <= place <= buffer.size - size, f"a slice of {size} at {place} of {buffer.size}"
    return place


def _slice(buffer: Array, start: Any, sizes: tuple[int]) -> Array:
    place = _first(buffer, start, sizes[0])
    return buffer[place : place + sizes[0]].copy()


def _update(buffer: Array, values: Array, start: Any) -> Array:
    assert values.dtype == buffer.dtype, "JAX refuses an update of another type"
    place = _first(buffer, start, values.size)
    return buffer.at[place : place + values.size].set(values)


def _loop(first: int, last: int, step: Callable[[int, Any], Any], carried: Any) -> Any:
    shapes = [(item.shape, item.dtype) for item in carried]
    for index in range(first, last):
        carried = step(index, carried)
        assert [(item.shape, item.dtype) for item in carried] == shapes, "JAX refuses a loop that changes a type"
    return carried


def _branch(condition: Any, true: Callable[..., Any], false: Callable[..., Any], *operands: Any) -> Any:
    return (true if condition else false)(*operands)


def _vectorized(function: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """A function of vectors, run for each place of the leading axes."""
    assert set(signature) <= set("(io)0123456789,->"), "vectors in, vectors out"

    def many(*arrays: Array) -> Any:
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        whole = [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays]
        runs = [function(*(_array(array[place]) for array in whole)) for place in np.ndindex(*batch)]
        return tuple(_array(found).reshape(*batch, -1) for found in zip(*runs, strict=True))

    return many


def _modules() -> dict[str, ModuleType]:
    jax, numpy, lax = ModuleType("jax"), ModuleType("jax.numpy"), ModuleType("jax.lax")
    numpy.__getattr__ = lambda name: getattr(np, name)  # type: ignore[method-assign]
    numpy.vectorize = _vectorized  # type: ignore[attr-defined]
    numpy.asarray = _array  # type: ignore[attr-defined]
    numpy.zeros = lambda size, dtype: _array(np.zeros(size, dtype))  # type: ignore[attr-defined]
    numpy.stack = lambda values: _array(np.stack(values))  # type: ignore[attr-defined]
    lax.dynamic_slice, lax.dynamic_update_slice = _slice, _update  # type: ignore[attr-defined]
    lax.fori_loop, lax.cond = _loop, _branch  # type: ignore[attr-defined]
    jax.numpy, jax.lax = numpy, lax  # type: ignore[attr-defined]
    jax.config = SimpleNamespace(jax_enable_x64=True)  # type: ignore[attr-defined]
    return {"jax": jax, "jax.numpy": numpy, "jax.lax": lax}


@contextmanager
def _in_place_of_jax() -> Iterator[None]:
    ours = _modules()
    kept = {name: sys.modules.get(name) for name in ours}
    sys.modules.update(ours)
    try:
        yield
    finally:
        for name, module in kept.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def load_plainly(path: Path) -> ModuleType:
    """A generated JAX module that computes with the stand-in."""
    with _in_place_of_jax():
        return import_file(path, path.stem)
