"""Work without the search for garbage leaves that search as it was, and what a process has frozen frozen."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from symdyn.interface.uncollected import uncollected


@pytest.fixture(autouse=True)
def searching() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.unfreeze()
    gc.enable()


def test_the_search_goes_on_after_the_outermost_work() -> None:
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_was_made_is_found_by_a_whole_search_and_counts_as_old() -> None:
    class Circle:
        gone = 0

        def __init__(self) -> None:
            self.own = self

        def __del__(self) -> None:
            Circle.gone += 1

    with uncollected():
        for _ in range(5):
            Circle()
    assert gc.get_count()[0] < 100
    gc.collect(1)
    assert Circle.gone == 0
    gc.collect()
    assert Circle.gone == 5


def test_what_is_frozen_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with uncollected():
        pass
    assert gc.get_freeze_count() == frozen > 0
