"""Lanes are compiled when a function is first called for many states: once, by one thread of one process."""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import SymdynWarning, ToolchainError
from symdyn.interface.manifest import Manifest
from symdyn.toolchain import cache, find_compiler, lanes_later
from symdyn.toolchain.record import Entry, read_record

pytestmark = pytest.mark.needs_cc

STATES = np.random.default_rng(5).normal(size=(3, 21, 2))


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of products that were built for lanes, whether or not the cache had them."""
    made: list[str] = []
    plain = lanes_later.built

    def counted(plan: Any, *given: Any, **named: Any) -> Any:
        entry, known = plain(plan, *given, **named)
        made.extend([] if known else [entry.path.name])
        return entry, known

    monkeypatch.setattr(lanes_later, "built", counted)
    return made


def compiled() -> symdyn.toolchain.module.Module:  # type: ignore[name-defined]
    return symdyn.compile(symdyn.load_example("double_pendulum"), ["inverse_dynamics", "gravity"])


def one_by_one(module: Any) -> np.ndarray:
    return np.array([module.inverse_dynamics(*state) for state in STATES.swapaxes(0, 1)])


def lanes_entries(folder: Path) -> list[Entry]:
    records = (read_record(place / "record.json") for place in (folder / "entries").iterdir())
    return [record for record in records if record is not None and record.kind == lanes_later.KIND]


def test_a_first_batch_compiles_the_lanes_of_its_function_alone(
    fresh: Path, told: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "symdyn"):
        module = compiled()
        assert "generating inverse_dynamics, gravity of double_pendulum" in caplog.text
        assert "compiling 4 files of double_pendulum" in caplog.text
        expected = one_by_one(module)
        module.inverse_dynamics(*STATES[:, :2])
        assert told == [] and lanes_entries(fresh) == []
        np.testing.assert_array_equal(module.inverse_dynamics(*STATES), expected)
    assert [entry.path.name for entry in lanes_entries(fresh)] == told
    assert len(told) == 1 and told[0].startswith("double_pendulum_inverse_dynamics_lanes")
    assert "double_pendulum_inverse_dynamics" in caplog.text and "first batch" in caplog.text
    module.inverse_dynamics(*STATES)
    assert len(told) == 1


def test_what_needs_addresses_has_all_lanes(fresh: Path, told: list[str]) -> None:
    assert compiled().addresses().keys() == {"inverse_dynamics", "gravity"}
    assert len(told) == 2


def test_threads_compile_once(fresh: Path, told: list[str]) -> None:
    module, gate = compiled(), Barrier(6)

    def called(_: int) -> np.ndarray:
        gate.wait()
        return module.inverse_dynamics(*STATES)  # type: ignore[no-any-return]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(called, range(6)))
    assert len(told) == 1
    for batch in found:
        np.testing.assert_array_equal(batch, one_by_one(module))


def test_two_processes_compile_once(fresh: Path) -> None:
    module = compiled()
    program = (
        "import sys, pickle, numpy, symdyn.toolchain.lanes_later as later\n"
        "plain, made = later.built, []\n"
        "def counted(*given, **named):\n"
        "    entry, known = plain(*given, **named)\n"
        "    made.append(not known)\n"
        "    return entry, known\n"
        "later.built = counted\n"
        "module, states = pickle.load(sys.stdin.buffer)\n"
        "sys.stdout.buffer.write(pickle.dumps((module.inverse_dynamics(*states), made)))\n"
    )
    command, given = [sys.executable, "-c", program], pickle.dumps((module, STATES))

    def answered(_: int) -> Any:
        return pickle.loads(subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True).stdout)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(answered, range(2)))
    assert sorted(made for _, own in found for made in own) == [False, True]
    for batch, _ in found:
        np.testing.assert_array_equal(batch, one_by_one(module))


def test_without_a_compiler_the_first_batch_says_what_to_do(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module = compiled()
    expected = one_by_one(module)
    path = find_compiler.os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.raises(ToolchainError, match=r"inverse_dynamics: batches are compiled when .* lanes=False"):
        module.inverse_dynamics(*STATES)
    np.testing.assert_array_equal(one_by_one(module), expected)
    monkeypatch.setenv("PATH", path)
    np.testing.assert_array_equal(module.inverse_dynamics(*STATES), expected)


def test_changed_sources_are_not_compiled(fresh: Path) -> None:
    module = compiled()
    (source,) = (fresh / "entries").glob("*/lanes/double_pendulum_inverse_dynamics_lanes.c")
    source.write_text(source.read_text() + "\n")
    with pytest.raises(ToolchainError, match=r"was changed since it was generated; remove .* compile the robot again"):
        module.inverse_dynamics(*STATES)


def test_a_damaged_entry_is_built_once_more(fresh: Path, told: list[str]) -> None:
    compiled().inverse_dynamics(*STATES)
    (entry,) = lanes_entries(fresh)
    cut = entry.path.read_bytes()[:-100]
    entry.path.unlink()  # what is mapped stays whole
    entry.path.write_bytes(cut)
    module = symdyn.compile(symdyn.load_example("double_pendulum"), ["inverse_dynamics"])
    np.testing.assert_array_equal(module.inverse_dynamics(*STATES), one_by_one(module))
    assert len(told) == 2


def test_lanes_do_not_depend_on_the_other_functions(fresh: Path, told: list[str]) -> None:
    """And so they, like objects of functions, are found again by modules with other functions."""
    compiled().inverse_dynamics(*STATES)
    objects = sorted((fresh / "objects").iterdir())
    module = symdyn.compile(symdyn.load_example("double_pendulum"), ["inverse_dynamics"])
    module.inverse_dynamics(*STATES)
    assert len(told) == 1 and sorted((fresh / "objects").iterdir()) == objects


def test_through_ctypes_it_is_the_same(fresh: Path, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDYN_NO_HEADERS", "1")
    with pytest.warns(SymdynWarning, match="through ctypes"):
        module = compiled()
    expected = one_by_one(module)
    assert told == []
    np.testing.assert_array_equal(module.inverse_dynamics(*STATES), expected)
    assert len(told) == 1


def test_a_compiled_folder_has_its_lanes(fresh: Path, tmp_path: Path) -> None:
    from symdyn.toolchain.compile_and_load import build_into

    folder = symdyn.generate(symdyn.load_example("double_pendulum"), ["gravity"], out=tmp_path / "made")
    build_into(folder)
    assert Manifest.from_json((folder / "manifest.json").read_text()).lane_sources
    symdyn.open(folder).gravity(STATES[0])
    assert lanes_entries(fresh) == []
