"""Linear maps for JAX whose transposes are functions of their own, such as adjoints in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from symdyn.toolchain.frameworks.offered import installed

Map = Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]
"""From what it depends on, and what it is linear in, to arrays; all with the same leading dimensions."""


def linear(forward: Map, transposed: Map, at: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """The images of ``given`` by a map ``forward``, which JAX transposes by ``transposed``, both at ``at``.

    Derivatives by ``at`` are JAX's of ``forward`` and of ``transposed``. Maps take leading dimensions, so ``vmap`` adds
    one to all arrays.
    """
    return list(_primitive().bind(*at, *given, maps=(forward, transposed), count=len(at)))


@cache
def _primitive() -> Any:
    """What JAX knows of such maps."""
    jax: Any = installed("jax", "jax")
    ad, batching, mlir = (import_module(f"jax.interpreters.{name}") for name in ("ad", "batching", "mlir"))
    own: Any = import_module("jax.extend.core").Primitive("symdyn_linear")
    own.multiple_results = True

    def value(*arrays: Any, maps: tuple[Map, Map], count: int) -> Sequence[Any]:
        return maps[0](arrays[:count], arrays[count:])

    def shapes(*arrays: Any, maps: tuple[Map, Map], count: int) -> list[Any]:
        told = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
        found = jax.eval_shape(lambda *own: list(value(*own, maps=maps, count=count)), *told)
        return [jax.core.ShapedArray(array.shape, array.dtype) for array in found]

    def tangents(arrays: Any, moved: Any, maps: tuple[Map, Map], count: int) -> tuple[Any, Any]:
        steps = [ad.instantiate_zeros(step) for step in moved]
        if all(isinstance(step, ad.Zero) for step in moved[:count]):
            along = own.bind(*arrays[:count], *steps[count:], maps=maps, count=count)
            return own.bind(*arrays, maps=maps, count=count), along
        found = jax.jvp(lambda *own: list(value(*own, maps=maps, count=count)), tuple(arrays), tuple(steps))
        return found[0], found[1]

    def pulled(weights: Any, *arrays: Any, maps: tuple[Map, Map], count: int) -> list[Any]:
        given = [ad.instantiate_zeros(weight) for weight in weights]
        found = own.bind(*arrays[:count], *given, maps=maps[::-1], count=count)
        return [*[None] * count, *found]

    def mapped(arrays: Any, axes: Any, maps: tuple[Map, Map], count: int) -> tuple[Any, list[int]]:
        size = next(array.shape[axis] for array, axis in zip(arrays, axes, strict=True) if axis is not None)
        wide = [
            jax.numpy.broadcast_to(array, (size, *array.shape)) if axis is None else jax.numpy.moveaxis(array, axis, 0)
            for array, axis in zip(arrays, axes, strict=True)
        ]
        found = own.bind(*wide, maps=maps, count=count)
        return found, [0] * len(found)

    own.def_impl(value)
    own.def_abstract_eval(shapes)
    ad.primitive_jvps[own] = tangents
    ad.primitive_transposes[own] = pulled
    batching.primitive_batchers[own] = mapped
    mlir.register_lowering(own, mlir.lower_fun(value, multiple_results=True))
    return own
