"""Fixtures of the cross-checks: robots held by symdyn and by Pinocchio, and a cache of the suite's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from support.pinocchio.trees import description_peer
from support.pinocchio.twins import SOURCES, Array, Peer, load_peer, relative


@pytest.fixture(scope="session", params=list(SOURCES))
def peer(request: pytest.FixtureRequest) -> Peer:
    """Each of the real robots in turn."""
    return load_peer(request.param)


@pytest.fixture(scope="session")
def peers() -> Callable[..., Peer]:
    """Any of the real robots by name."""
    return load_peer


@pytest.fixture(scope="session")
def twin() -> Callable[..., Peer]:
    """The peer of a description."""
    return description_peer


@pytest.fixture(scope="session")
def relative_error() -> Callable[[Array, Array], float]:
    """See :func:`relative`."""
    return relative


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty cache for the suite, one for all its workers, so that nothing compiled earlier can answer."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    patch = pytest.MonkeyPatch()
    patch.setenv("SYMDYN_CACHE_DIR", str(folder / "cache"))
    yield
    patch.undo()
