"""What holds for the whole suite: which symdyn is under test, and that random tests draw the same cases every time.

``--update-golden``, ``--update-truths`` and ``--all-cases`` are declared here: pytest reads options before it collects,
and looks no deeper than the test path.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings
from support.chosen_cases import chosen
from support.thinned import late

_CHECKOUT = Path(__file__).resolve().parent.parent

# `python -m pytest` puts the checkout on the path, where symdyn/ lacks the parts that live in cli/ and templates/.
# The installed package is what users get, so it is what is tested (in place, where the install is editable).
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != _CHECKOUT]
os.environ["PYTHONSAFEPATH"] = "1"

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.load_profile("fixed")


_FAST_ROOMS = {
    "description",
    "functions",
    "model",
    "passes",
    "robots",
    "scalars",
    "spatial",
    "tape",
    "tracing",
    "transforms",
}
_NOT_FAST = ("needs_cc", "slow", "cross", "peers")

_AT_LENGTH = ("cases/", "equivalence/", "lanes/", "verify/test_every_verified")
"""Tests that take a third of the time, and reach what cheaper tests have reached: numbers of many functions, robots and
layouts against each other. To count their lines would more than double what they take."""


_BY_TOLERANCES = (
    "cases/",
    "contacts/",
    "control/",
    "dynamics/",
    "equivalence/",
    "flexible/",
    "identification/",
    "invariance/",
    "packaging/test_pages_run.py",
    "robots/",
    "rollouts/",
    "simulation/",
    "soft/",
    "solvers/",
    "statics/",
    "steppers/",
    "toolchain/test_fmu.py",
    "view/",
)
"""Rooms and files whose tests hold numbers of compiled C against others. Other rooms, and files marked ``optimised``,
compile as users do."""


_SHARES = {"slow": 16, "cross": 3, "peers": 2}
"""Of the tests of a file with such a mark, one of so many runs, and at least one; see ``support/chosen_cases.py``."""

_WITHOUT_SHARES = "tests/dynamics/loops/*.py"
"""Tests of loops all run: each of their cases is there for what no other covers."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m unit`` files without such tests are not imported, which took as long as a third of the tests."""
    if config.option.markexpr != "unit" or not collection_path.match("test_*.py"):
        return None
    room = collection_path.relative_to(Path(__file__).resolve().parent).parts[0]
    return True if room not in _FAST_ROOMS and "mark.unit" not in collection_path.read_text("utf-8") else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Marks ``unit``, the tests of rooms that need no compiler, for daily work, ``no_cover``, what only repeats, and
    ``slow``, what ``support/thinned.py`` leaves for later.

    After ``-m`` has chosen, a part of what takes long is kept, and the longest tests come first.
    """
    tests = Path(__file__).resolve().parent
    _mark_late(items, tests)
    for item in items:
        place = item.path.relative_to(tests).as_posix()
        if place.split("/")[0] in _FAST_ROOMS and not any(item.get_closest_marker(name) for name in _NOT_FAST):
            item.add_marker("unit")
        if place.startswith(_AT_LENGTH):
            item.add_marker("no_cover")
    yield
    if not config.getoption("--all-cases"):
        left_out = _left_out(items)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]
    _begin_with_the_longest(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _mark_late(items: Iterable[pytest.Item], tests: Path) -> None:
    """Adds ``slow`` to what does not run at each change, and ``every_case`` to what of it always runs with the slow."""
    own = {}
    for item in items:
        if not any(item.get_closest_marker(name) for name in _SHARES):
            own[item.path.relative_to(tests).as_posix(), item.nodeid.partition("::")[2]] = item
    for test, always in late(own).items():
        own[test].add_marker("slow")
        if always:
            own[test].add_marker("every_case")


def _left_out(items: Iterable[pytest.Item]) -> set[str]:
    """The tests that a run without ``--all-cases`` leaves out: of each share those that cover least."""
    tests: dict[int, list[tuple[str, str]]] = {}
    for item in items:
        share = max((own for name, own in _SHARES.items() if item.get_closest_marker(name)), default=1)
        if share > 1 and not item.path.match(_WITHOUT_SHARES) and not item.get_closest_marker("every_case"):
            file, _, name = item.nodeid.partition("::")
            tests.setdefault(share, []).append((file, name))
    return {
        "::".join(test)
        for share, own in tests.items()
        for kept in [chosen(own, share)]
        for test in own
        if "::".join(test) not in kept
    }


def _begin_with_the_longest(items: list[pytest.Item], processes: int) -> None:
    """Deals the tests marked ``longest`` out to the equal shares with which the processes begin."""
    longest = [item for item in items if item.get_closest_marker("longest")]
    others = iter([item for item in items if not item.get_closest_marker("longest")])
    left = len(items)
    items.clear()
    for process in range(processes):
        size = left // (processes - process)
        left -= size
        own = longest[process::processes]
        items += own
        items += islice(others, max(size - len(own), 0))
    items += others


@pytest.fixture(scope="module", autouse=True)
def _compiled_in_less_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compiles at -O0 where tests compare numbers: at -O2 and -O3 compilers take three times as long."""
    place = request.path.relative_to(Path(__file__).resolve().parent).as_posix()
    if not place.startswith(_BY_TOLERANCES) or request.node.get_closest_marker("optimised"):
        yield
        return
    from symdyn.toolchain import build_plan

    with pytest.MonkeyPatch.context() as patch:
        for name in ("function_flags", "extension_flags"):
            patch.setattr(build_plan, name, _unoptimised(getattr(build_plan, name)))
        yield


def _unoptimised(flags: Callable[..., tuple[str, ...]]) -> Callable[..., tuple[str, ...]]:
    return lambda *given, **named: tuple("-O0" if flag in ("-O2", "-O3") else flag for flag in flags(*given, **named))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Spares the garbage collector what lives until the end, the thousands of tests above all, and most of its rounds:
    tapes and plans hold no cycles, yet looking for some took a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of ``tests/golden`` and ``tests/cases``, and that of tests which take long."""
    parser.addoption("--all-cases", action="store_true", help="run all of -m slow, cross and peers, not a part")
    parser.addoption(
        "--update-truths", action="store_true", help="compute truths of tests/cases that are stale, and keep them"
    )
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite generated/samples with what is generated now"
    )
