"""Extension calls neither leak nor share memory between threads."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from support.extension import imported

from symdyn.errors import RequestError
from symdyn.toolchain.module import Module

pytestmark = pytest.mark.needs_cc

Q, V, A = np.random.default_rng(21).normal(size=(3, 7))
BATCH = np.random.default_rng(22).normal(size=(3, 1, 7))
OUT = np.empty(7)
TABLE, TOTAL = np.empty((3, 2)), np.empty(())
LIST = list(Q)
SHORT = np.empty(6)
# Made once: NumPy's own constructors let the count of references to their dtype grow.
FOUR, NONE, PAIRS, COMPLEX = np.ones((4, 7)), np.empty((0, 7)), np.ones((2, 2, 7)), A * 1j
POINTS, PARAMETERS, LONG = np.ones((4, 3)), np.ones((4, 2)), Q.astype(np.longdouble)


def expect_refusal(call: Callable[[], Any]) -> None:
    try:
        call()
    except RequestError:
        return
    pytest.fail("the call was not refused")


CALLS: dict[str, Callable[[Module], Any]] = {
    "in place": lambda m: m.inverse_dynamics(Q, V, A),
    "out": lambda m: m.inverse_dynamics(Q, V, A, out=OUT),
    "names": lambda m: m.inverse_dynamics(a=A, v=V, q=Q),
    "list": lambda m: m.inverse_dynamics(LIST, V, A),
    "broadcast": lambda m: m.inverse_dynamics(BATCH, V, A),
    "materialised": lambda m: m.inverse_dynamics(BATCH, FOUR, A),
    "two outputs": lambda m: m.products(Q[:3], V[:2]),
    "two outputs out": lambda m: m.products(Q[:3], V[:2], out=(TABLE, TOTAL)),
    "heap workspace": lambda m: m.large_workspace(Q[:2]),
    "stack workspace": lambda m: m.reverse_sums(Q[:4]),
    "parameters of each state": lambda m: m.scaled(POINTS, PARAMETERS),
    "parameters repeated": lambda m: m.scaled(POINTS, PARAMETERS[:1]),
    "rounded": lambda m: m.inverse_dynamics(LONG, V, A),
    "signature": lambda m: imported(m).signature("scaled"),
    "unknown signature": lambda m: expect_refusal(lambda: imported(m).signature("gravity")),
    "no states": lambda m: m.inverse_dynamics(NONE, V, A),
    "wrong shape": lambda m: expect_refusal(lambda: m.inverse_dynamics(SHORT, V, A)),
    "wrong dtype": lambda m: expect_refusal(lambda: m.inverse_dynamics(Q, V, COMPLEX)),
    "wrong out": lambda m: expect_refusal(lambda: m.inverse_dynamics(Q, V, A, out=SHORT)),
    "wrong second out": lambda m: expect_refusal(lambda: m.products(Q[:3], V[:2], out=(TABLE, SHORT))),
    "wrong lead": lambda m: expect_refusal(lambda: m.inverse_dynamics(BATCH, PAIRS, A)),
    "overlap": lambda m: expect_refusal(lambda: m.inverse_dynamics(Q, V, A, out=Q)),
    "ragged": lambda m: expect_refusal(lambda: m.inverse_dynamics([1, [2]], V, A)),
    "unknown name": lambda m: expect_refusal(lambda: m.inverse_dynamics(Q, V, z=A)),
}


@pytest.fixture
def usual_collections() -> Iterator[None]:
    """Garbage is collected as often as in users' processes: tables grow with what waits for it.

    What other tests left is not looked at, because that takes seconds per test.
    """
    rare = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*rare)
    gc.unfreeze()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("usual_collections")
def test_calls_do_not_leak(extension: Module, name: str) -> None:
    call = CALLS[name]
    watched = (Q, V, A, BATCH, OUT, TABLE, TOTAL, LIST, SHORT, np.dtype(float), np.dtype(complex))

    def repeat(count: int) -> int:
        for _ in range(count):
            call(extension)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        start = repeat(800)
        references = [sys.getrefcount(item) for item in watched]
        end = repeat(1600)
        assert [sys.getrefcount(item) for item in watched] == references
    finally:
        tracemalloc.stop()
    # Nothing smaller than 16 bytes can be lost per call; free lists and tables settle at a few kilobytes.
    assert end - start < 1600 * 16


@pytest.mark.parametrize("states", [1, 500])
def test_threads_call_at_once(module: Module, states: int) -> None:
    gate = threading.Barrier(4)

    def work(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(states, 4))
        y = rng.normal(size=(states, 2))
        expected = x[:, ::-1].cumsum(axis=1)[:, ::-1]
        gate.wait(timeout=60)
        for _ in range(100 if states == 1 else 4):
            if not np.allclose(module.reverse_sums(x), expected, rtol=1e-10, atol=1e-12):
                return False
            if not np.allclose(module.large_workspace(y)[:, 0], 5000 * y[:, 0], rtol=1e-10):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [True] * 4


def test_long_calls_release_the_interpreter_lock(extension: Module) -> None:
    x = np.ones((20_000, 2))  # about a tenth of a second
    progress: list[int] = []
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            progress.append(len(progress))
            stop.wait(0.001)

    watcher = threading.Thread(target=count)
    watcher.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        before = len(progress)
        extension.large_workspace(x)
        during = len(progress) - before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        watcher.join()
    assert during >= 5


def test_too_many_states_for_memory(extension: Module) -> None:
    column = np.broadcast_to(np.ones((1, 7)), (2**40, 7))[:, None]
    row = np.broadcast_to(np.ones((1, 7)), (2**40, 7))
    with pytest.raises(MemoryError):
        extension.inverse_dynamics(column, row, A)


def test_the_extension_needs_numpy_only(extension: Module) -> None:
    """Without symdyn the same file loads and refuses with ValueError."""
    assert extension.path is not None
    name = extension.path.name.split(".")[0]
    script = (
        "import sys; sys.modules['symdyn'] = None\n"
        f"sys.path.insert(0, {str(extension.path.parent)!r})\n"
        f"import numpy as np, {name} as module\n"
        "assert (module.inverse_dynamics(np.ones(7), np.ones(7), np.ones(7)) == np.arange(2, 9)).all()\n"
        "try:\n    module.inverse_dynamics(1, 2, 3)\n"
        "except ValueError as failure:\n    print(type(failure).__name__, failure)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("ValueError inverse_dynamics: argument 'q' has shape (), expected (..., 7)")
