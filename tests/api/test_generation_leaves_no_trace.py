"""Generation changes nothing of the interpreter that it runs in."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import symdyn
from symdyn.errors import RequestError
from symdyn.generation import pipeline

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """Leaves the search for garbage on."""
    yield
    gc.enable()


@pytest.mark.parametrize("searching", [True, False])
def test_the_search_for_garbage_is_as_before(searching: bool) -> None:
    (gc.enable if searching else gc.disable)()
    pipeline.sources(symdyn.load_example("pendulum"), ["inverse_dynamics"])
    assert gc.isenabled() == searching


def test_the_search_for_garbage_goes_on_after_an_error() -> None:
    with pytest.raises(RequestError):
        pipeline.sources(symdyn.load_example("pendulum"), ["inverse_dynamics"], dtype="float16")
    assert gc.isenabled()
