"""Fixtures of the cross-checks: robots held by symdyn and by Pinocchio, and modules compiled once."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pinocchio_functions import TRUTHS, prescribed_names
from pinocchio_peers import SOURCES, Array, Peer, load_peer, relative
from pinocchio_trees import description_peer

import symdyn


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


@pytest.fixture(scope="session")
def compiled() -> Callable[..., Any]:
    """One module per robot and layout with every function of the catalogue, hybrid dynamics with some rows prescribed.

    Several test files call the same modules: each takes up to a minute to compile.
    """

    @functools.cache
    def module(name: str, layout: str = "auto") -> Any:
        peer = load_peer(name)
        return symdyn.compile(peer.robot, list(TRUTHS), layout=layout, prescribed=prescribed_names(peer))

    return module


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
