"""How the generated NumPy module is called: broadcasting, chunks, out=, and what it refuses."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Program
from symdyn.compiler.tape.tape import Port
from symdyn.errors import RequestError
from symdyn.interface.signature import Signature


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
    with pytest.raises(RequestError, match=r"total: leading dimensions do not broadcast: a \(3, 2\), b \(4, 2\)"):
        module.total(np.zeros((3, 2)), b)


def test_out_is_filled_and_given_back(module: ModuleType) -> None:
    x = np.full((3, 4), 0.5)
    out = np.empty((3, 38))
    assert module.every_operation(x, out=out) is out
    np.testing.assert_array_equal(out, module.every_operation(x))
    assert module.every_operation(x, out=(out,)) is out
    pair = (np.empty((2, 24)), np.empty((2, 5)))
    given = module.awkward_constants(np.zeros((2, 2)), out=pair)
    assert isinstance(given, tuple) and given[0] is pair[0] and given[1] is pair[1]
    np.testing.assert_array_equal(pair[1], module.awkward_constants(np.zeros((2, 2)))[1])
    with pytest.raises(RequestError, match=r"takes 1 positional argument but 2 were given; it takes \(x, out=\)"):
        module.every_operation(x, out)


def test_one_number_is_a_number(module: ModuleType) -> None:
    total = module.looped(np.full(6, 0.5), [0.5])[2]
    assert isinstance(total, np.float64)
    assert total == module.looped(np.full((1, 6), 0.5), [0.5])[2][0]


@pytest.mark.parametrize(
    "leads", [((3,), (3,)), ((), (3,)), ((2, 1), (3,)), ((3,), (1,)), ((0,), (1,)), ((2000,), (2000,))]
)
def test_parameters_broadcast_as_every_input(module: ModuleType, leads: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(8)
    q, p = (rng.uniform(0.1, 0.9, (*lead, size)) for lead, size in zip(leads, (6, 1), strict=True))
    batch = np.broadcast_shapes(*leads)
    found = module.looped(q, p)
    assert [item.shape for item in found] == [(*batch, 6), (*batch, 3, 4), batch]
    q, p = np.broadcast_to(q, (*batch, 6)), np.broadcast_to(p, (*batch, 1))
    for place in list(np.ndindex(batch))[:: max(1, q.size // 60)]:
        for whole, single in zip(found, module.looped(q[place], p[place]), strict=True):
            np.testing.assert_allclose(whole[place], single, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((3, 37)), r"out for 'y' has shape \(3, 37\), expected \(3, 38\)"),
        (np.empty((3, 38), np.float32), "out for 'y' has dtype float32, expected float64"),
        (np.empty((38, 3)).T, "must be C-contiguous, aligned and writeable"),
        ([np.empty((3, 38))], r"out must be an array \(y\), got a list"),
        ((np.empty((3, 38)),) * 2, "out must be an array"),
        (("text",), "out for 'y' is a str, expected an array"),
    ],
)
def test_out_that_does_not_fit_is_refused(module: ModuleType, out: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        module.every_operation(np.full((3, 4), 0.5), out=out)


def test_out_may_overlap_nothing(module: ModuleType) -> None:
    memory = np.zeros(60)
    with pytest.raises(RequestError, match="out for 'y' overlaps argument 'x'; give it memory of its own"):
        module.every_operation(memory[:4], out=memory[2:40])
    with pytest.raises(RequestError, match="overlaps argument 'x'"):  # although it is converted, and so copied, first
        module.every_operation(memory.view(np.int64)[:4], out=memory[2:40])
    with pytest.raises(RequestError, match="out for 'z' overlaps out for 'y'"):
        module.awkward_constants(np.zeros(2), out=(memory[:24], memory[20:25]))
    with pytest.raises(RequestError, match="must be C-contiguous, aligned and writeable"):
        readonly = np.zeros(38)
        readonly.flags.writeable = False
        module.every_operation(memory[:4], out=readonly)


@pytest.mark.parametrize(
    ("q", "p", "message"),
    [
        (np.zeros(5), [1.0], r"looped: argument 'q' has shape \(5,\), expected \(\.\.\., 6\)"),
        (0.5, [1.0], r"argument 'q' has shape \(\), expected \(\.\.\., 6\)"),
        (np.zeros(6), np.ones((4, 2)), r"argument 'p' has shape \(4, 2\), expected \(\.\.\., 1\)"),
        (np.zeros(6, complex), [1.0], "'q' has dtype complex128, expected real numbers; pass it as float64"),
        (["a"] * 6, [1.0], "'q' has dtype <U1, expected real numbers"),
        (None, [1.0], "'q' has dtype object, expected real numbers"),
        ([[1.0], [1.0, 2.0]], [1.0], r"'q' is not an array of numbers; expected float64 of shape \(\.\.\., 6\)"),
    ],
)
def test_wrong_inputs_are_refused(module: ModuleType, q: Any, p: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        module.looped(q, p)


def test_wrong_calls_are_refused(module: ModuleType) -> None:
    q = np.zeros(6)
    with pytest.raises(RequestError, match=r"looped: missing 1 required .*'p'; it takes \(q, p, out=\)"):
        module.looped(q)
    with pytest.raises(RequestError, match=r"unexpected keyword argument 'x'; it takes \(q, p, out=\)"):
        module.looped(q, [1.0], x=q)
    with pytest.raises(RequestError, match="multiple values for argument 'q'"):
        module.looped(q, [1.0], q=q)
    assert str(inspect.signature(module.looped)) == "(q, p, *, out=None)"


class Torn:
    """An array-like whose conversion fails for a reason of its own."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise KeyboardInterrupt("stopped")


def test_foreign_failures_pass_through(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt, match="stopped"):
        module.looped(Torn(), [1.0])

    def broken(*values: Any) -> None:
        raise TypeError("from within")

    monkeypatch.setattr(module, "_evaluate", broken)
    with pytest.raises(TypeError, match="from within"):
        module.looped(np.zeros(6), [1.0])


def test_single_precision_takes_any_real_numbers(samples: ModuleType, write_module: Any, load_numpy: Any) -> None:
    module = load_numpy(write_module([samples.looped("float32")], "python"))
    q = np.linspace(0.1, 0.9, 6)
    tau = module.looped(q.astype(np.float32), np.float32([0.5]))[0]
    assert tau.dtype == np.float32
    for kind in (np.float64, np.longdouble):
        np.testing.assert_array_equal(module.looped(q.astype(kind), [0.5])[0], tau)
    assert module.looped(np.zeros((0, 6)), [0.5])[0].shape == (0, 6)


def test_without_symdyn_it_refuses_with_value_errors(samples: ModuleType, write_module: Any) -> None:
    folder = write_module([samples.looped()], "python") / "python"
    script = (
        f"import sys; sys.modules['symdyn'] = None; sys.path.insert(0, {str(folder)!r})\n"
        "import toy, numpy as np\n"
        "assert toy.looped(np.zeros(6), [1.0])[0].shape == (6,)\n"
        "calls = (lambda: toy.looped(1, 2), lambda: toy.looped(1), lambda: toy.signature('gravity'))\n"
        "for call in calls:\n    try:\n        call()\n"
        "    except ValueError as failure:\n        print(type(failure).__name__, failure)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == [
        "ValueError looped: argument 'q' has shape (), expected (..., 6)",
        "ValueError looped: missing 1 required positional argument: 'p'; it takes (q, p, out=)",
        "ValueError signature: no function 'gravity'; this module has looped. Ask for more functions when generating",
    ]


def test_numbers_outside_of_a_domain_pass_through(module: ModuleType) -> None:
    for x in (np.full(4, -2.0), np.full((2, 4), -2.0), np.full(4, np.nan), np.full((2, 4), np.inf)):
        assert np.isnan(module.every_operation(x)).any()


def test_signatures_are_plain_data_with_the_users_names(module: ModuleType, samples: ModuleType) -> None:
    data = module.signature("looped")
    assert data["inputs"][0]["rows"] == [list(samples.ODD_JOINTS)]
    assert data["robot"] == "toy" and data["operations"] == 90
    assert module.signature("every_operation")["counts"]["sincos"] == 2
    data["inputs"].clear()
    assert len(module.signature("looped")["inputs"]) == 2
    for name in ("gravity", ["looped"]):
        with pytest.raises(RequestError, match="this module has looped, awkward_constants, every_operation"):
            module.signature(name)
    functions = {"looped", "awkward_constants", "every_operation", "nothing_moves"}
    results = {"Looped", "AwkwardConstants", "NothingMoves"}
    assert set(module.__all__) == {"signature", *functions, *results}
    assert "1 a_b" in module.looped.__doc__ and "[rad]" in module.looped.__doc__


def test_empty_arguments(module: ModuleType) -> None:
    tau, energy = module.nothing_moves(np.zeros((5, 0)))
    assert tau.shape == (5, 0)
    np.testing.assert_array_equal(energy, np.full((5, 1), 2.5))


def test_a_single_call_may_read_a_table(
    samples: ModuleType, write_module: Callable[..., Path], load_numpy: Callable[[Path], ModuleType]
) -> None:
    build = samples.TapeBuilder("weigh", [Port("x", 2, origins=("x1", "x2")), Port("w", 1)], [Port("y", 2)])
    weight = build.input(1, 0)
    tape = build.tape([build.op("mul", build.input(0, place), weight) for place in range(2)])
    call = Call("weigh", (Affine("x", 1), Affine("w", 2)), (Affine("y", 0),))
    units = ("m", "rad", "kg")
    x = replace(samples.argument("x", 3), units=units)
    buffers = (
        Buffer("x", BufferKind.IN, 3),
        Buffer("y", BufferKind.OUT, 2),
        Buffer("w", BufferKind.TABLE, 1, 3, values=(2.0, 3.0, 5.0)),
    )
    signature = Signature("toy", "weighed", (x,), (samples.argument("y", 2),), "Two of x, weighed")
    program = Program(signature, buffers, (tape,), (call,), "float64")
    folder = write_module([program])
    np.testing.assert_array_equal(load_numpy(folder).weighed([0.5, 1.0, 2.0]), [5.0, 10.0])
    text = (folder / "python" / "toy.py").read_text(encoding="utf-8")
    assert re.findall(r"# x(\d) \[(\w+)\]", text) == [("1", "rad"), ("2", "kg")]  # each with its own unit
