"""Compiled functions inside CasADi: graphs, Hessians, threads, generated C, and IPOPT."""

from __future__ import annotations

import pickle
import subprocess
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import symdyn
from symdyn.api import verify
from symdyn.cli.main import main
from symdyn.errors import RequestError, VerificationError
from symdyn.generation import pipeline
from symdyn.interface.options import GenerateOptions
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.module import Module

pytestmark = pytest.mark.needs_cc
FUNCTION = "inverse_dynamics"


@pytest.fixture(scope="module")
def module() -> Module:
    return symdyn.compile(symdyn.load_example("double_pendulum"), [FUNCTION], target="casadi", hessian=True)


def test_the_function_has_its_names_and_derivatives(module: Module) -> None:
    function = module.casadi(FUNCTION)
    assert (function.name_in(), function.name_out()) == (["q", "v", "a"], ["tau"])
    slopes = function.jacobian()
    assert slopes.name() == "jac_double_pendulum_inverse_dynamics"
    assert slopes.sparsity_out("jac_tau_v").nnz() == 3  # the shoulder's own velocity does not act on it
    assert slopes.sparsity_in("out_tau").nnz() == 0


def test_long_second_derivatives_are_told_before_they_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, asked = symdyn.load_example("pendulum"), {"target": "casadi", "hessian": True}
    options = GenerateOptions.checked(["inverse_dynamics_partials"], **asked)
    monkeypatch.setattr(pipeline, "_LONG", 1000)
    with pytest.warns(symdyn.SymdynWarning, match=r"MB of C, .*ask for 'inverse_dynamics' with hessian=True.*or leave"):
        pipeline._warn_if_long(pipeline.generated(robot, options), options)
    pipeline._warn_if_long([], options)


def test_a_graph_has_the_hessian_of_the_symbolic_function(module: Module) -> None:
    def hessian(function: Any, kind: Any) -> Any:
        x, weights = kind.sym("x", 6), kind.sym("w", 2)
        tau = function(x[:2], x[2:4], x[4:])
        found, gradient = ca.hessian(ca.dot(weights, tau**2), x)
        return ca.Function("h", [x, weights], [ca.densify(found), ca.densify(gradient)])

    ours = hessian(module.casadi(FUNCTION), ca.MX)
    theirs = hessian(symdyn.symbolic(symdyn.load_example("double_pendulum"), FUNCTION), ca.SX)
    x, weights = np.linspace(-1.0, 2.0, 6), np.array([0.3, -0.8])
    for one, other in zip(ours(x, weights), theirs(x, weights), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_maps_run_in_threads(module: Module) -> None:
    function = module.casadi(FUNCTION)
    states = np.random.default_rng(0).normal(size=(3, 2, 6))
    np.testing.assert_array_equal(function.map(6, "thread", 2)(*states), function.map(6)(*states))


def test_c_that_casadi_generates_around_it_links(module: Module, tmp_path: Path) -> None:
    x = ca.MX.sym("x", 6)
    tau = module.casadi(FUNCTION)(x[:2], x[2:4], x[4:])
    graph = ca.Function("graph", [x], [ca.sin(tau), ca.jacobian(ca.sin(tau), x)])
    generator = ca.CodeGenerator("graph.c")
    generator.add(graph)
    generator.generate(f"{tmp_path}/")
    library = tmp_path / "graph.so"
    words = [*find_compiler().command, "-shared", "-fPIC", "-O1", str(tmp_path / "graph.c"), str(module.path), "-lm"]
    subprocess.run([*words, "-o", str(library)], check=True)
    given = np.linspace(0.1, 0.6, 6)
    for one, other in zip(ca.external("graph", str(library))(given), graph(given), strict=True):
        np.testing.assert_array_equal(np.array(ca.densify(one)), np.array(ca.densify(other)))


def swing(function: Any) -> tuple[float, int]:
    """The least effort that swings the pendulum up, and the iterations of IPOPT with exact Hessians."""
    intervals, step = 20, 0.1
    problem = ca.Opti()
    q, v, a = (problem.variable(2, intervals + more) for more in (1, 1, 0))
    effort = 0
    for k in range(intervals):
        problem.subject_to(q[:, k + 1] == q[:, k] + step * v[:, k] + step**2 / 2 * a[:, k])
        problem.subject_to(v[:, k + 1] == v[:, k] + step * a[:, k])
        effort += step * ca.sumsqr(function(q[:, k], v[:, k], a[:, k]))
    problem.minimize(effort)
    for row, goal in ((q[:, 0], np.zeros(2)), (q[:, -1], np.array([np.pi, 0.0]))):
        problem.subject_to(row == goal)
    problem.subject_to(v[:, 0] == 0)
    problem.subject_to(v[:, -1] == 0)
    problem.set_initial(q, np.linspace(np.zeros(2), [np.pi, 0.0], intervals + 1).T)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    solution = problem.solve()
    return float(solution.value(effort)), int(problem.stats()["iter_count"])


def test_ipopt_takes_the_same_steps_as_with_the_symbolic_function(module: Module) -> None:
    ours, own_steps = swing(module.casadi(FUNCTION))
    theirs, steps = swing(symdyn.symbolic(symdyn.load_example("double_pendulum"), FUNCTION))
    assert own_steps == steps
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_pickled_module_opens_the_same_library(module: Module) -> None:
    again = pickle.loads(pickle.dumps(module))
    assert again.path == module.path
    assert again.casadi(FUNCTION)(0.1, 0.2, 0.3).shape == (2, 1)


def test_what_is_not_there_is_told(module: Module, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="has no function 'gravity'; it has inverse_dynamics"):
        module.casadi("gravity")
    with pytest.raises(RequestError, match="compile with target='casadi'"):
        symdyn.compile(symdyn.load_example("pendulum"), ["gravity"], target="python").casadi("gravity")
    folder = symdyn.generate(symdyn.load_example("pendulum"), ["gravity"], target="casadi", out=tmp_path / "made")
    with pytest.raises(VerificationError, match="C for casadi that is not compiled"):
        symdyn.open(folder)
    with pytest.raises(VerificationError, match="called by casadi alone"):
        verify(folder)
    assert main(["compile", "pendulum", "--target", "casadi", "-o", str(tmp_path / "built")]) == 2
