"""Several outputs come as named tuples: fields, unpacking, ``out=``, pickles; one output stays an array."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.toolchain.module import Module

pytestmark = pytest.mark.filterwarnings("ignore:.*follow from others")

Q, V = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])
READ = "import pickle, sys; found = pickle.load(sys.stdin.buffer); print(type(found).__name__, found._fields, found[1])"


def unpickled_elsewhere(data: bytes, *path: Path) -> str:
    """What another process prints of a result that was pickled here."""
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {list(map(str, path))!r}; {READ}"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode().strip()


def again_from(found: Any) -> Any:
    """A result, pickled and read back here."""
    return pickle.loads(pickle.dumps(found))


@pytest.mark.needs_cc
def test_two_outputs_are_a_named_tuple(module: Module) -> None:
    found = module.products(Q, V)
    assert type(found) is module.Products  # type: ignore[comparison-overlap]
    assert isinstance(found, tuple)
    assert found._fields == ("table", "total")
    table, total = found
    assert table is found.table and total is found.total and table is found[0]
    assert found.total == np.sum(found.table) == np.sum(np.outer(Q, V))
    assert found._asdict().keys() == {"table", "total"}
    assert repr(found).startswith("Products(table=array(")
    batch = module.products(np.stack([Q, Q]), V)
    assert batch.table.shape == (2, 3, 2) and batch.total.shape == (2,)
    assert type(module.scaled(Q, V)) is np.ndarray


@pytest.mark.needs_cc
def test_given_outputs_come_back_by_name(module: Module) -> None:
    out = np.empty((3, 2)), np.empty(())
    found = module.products(Q, V, out=out)
    assert found.table is out[0] and found.total is out[1]
    again = module.products(Q, V, out=found)
    assert again.table is out[0]


@pytest.mark.needs_cc
def test_results_pickle(module: Module) -> None:
    found = module.products(Q, V)
    for again in (again_from(found), copy.copy(found), copy.deepcopy(found)):
        assert type(again) is type(found)
        assert np.array_equal(again.table, found.table) and again.total == found.total
    assert unpickled_elsewhere(pickle.dumps(found)) == "Products ('table', 'total') 54.0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the Python target with functions of one and of several outputs; multipliers are called lambda."""
    names = ["inverse_dynamics_partials", "inverse_dynamics", "constrained_forward_dynamics"]
    out = tmp_path_factory.mktemp("named") / "made"
    return symdyn.generate(symdyn.load_example("four_bar"), names, target="python", out=out)


def test_modules_of_text_have_them_too(folder: Path) -> None:
    sys.path.insert(0, str(folder / "python"))
    try:
        imported: Any = __import__("four_bar")
    finally:
        sys.path.pop(0)
    q, v, a = np.full((3, 3), 0.1)
    found = imported.inverse_dynamics_partials(q, v, a)
    assert type(found) is imported.InverseDynamicsPartials
    assert found._fields == ("dtau_dq", "dtau_dv", "dtau_da")
    assert type(imported.inverse_dynamics(q, v, a)) is np.ndarray
    assert imported.constrained_forward_dynamics(q, v, a)._fields == ("a", "id_lambda"), "no field is a word of Python"
    assert type(again_from(found)) is type(found)
    said = unpickled_elsewhere(pickle.dumps(found), folder / "python")
    assert said.startswith("InverseDynamicsPartials ('dtau_dq', 'dtau_dv', 'dtau_da')")


def test_modules_that_nobody_imports_pickle_results() -> None:
    robot = symdyn.load_example("double_pendulum")
    module = symdyn.compile(robot, ["inverse_dynamics_partials"], target="python")
    found = module.inverse_dynamics_partials(*np.full((3, 2), 0.1))
    assert type(again_from(found)) is type(found)
    assert unpickled_elsewhere(pickle.dumps(found)).startswith("InverseDynamicsPartials ('dtau_dq'")


@pytest.mark.slow
def test_results_are_trees_to_jax() -> None:
    jax = pytest.importorskip("jax")
    robot = symdyn.load_example("double_pendulum")
    module = symdyn.compile(robot, ["inverse_dynamics_partials"], target="jax", dtype="float32")
    rows = np.full((3, 2), 0.1, np.float32)
    found = jax.jit(module.inverse_dynamics_partials)(*rows)
    assert type(found) is module.InverseDynamicsPartials
    assert len(jax.tree_util.tree_leaves(found)) == 3
    assert np.allclose(found.dtau_da, module.inverse_dynamics_partials(*rows).dtau_da)
