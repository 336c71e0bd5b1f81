"""Each room of ``benchmarks/mutants.py`` has files to put faults into, and tests that could notice them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def mutants() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import mutants
    return sys.modules[mutants.__name__]


def test_rooms_name_files_and_tests_that_are_there(mutants: ModuleType) -> None:
    for room, (patterns, tests) in mutants.ROOMS.items():
        assert [own for own in patterns if not any(ROOT.glob(own))] == [], room
        assert [own for own in tests if not (ROOT / own).exists()] == [], room
        assert mutants.all_mutants([room]), room
