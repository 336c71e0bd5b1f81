"""Units of FMI 3.0 in tools that import them: FMPy, its compiler of sources, and CasADi."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn

pytestmark = [pytest.mark.peers, pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
POST = """
name: post
gravity: [0, 0, 0]
links: {ground: {}, ball: {mass: 0.5}}
joints: {x: {type: prismatic, parent: ground, child: ball, axis: [1, 0, 0]}}
contacts: {post: {of: ball, radius: 0.1, with: {sphere: {center: [5, 0, 0], radius: 0.1}}, stiffness: 1e5}}
"""
BALL = """
name: ball
links:
  ground: {}
  slide: {}
  ball: {mass: 0.5, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {skin: {sphere: 0.1}}}
joints:
  x: {type: prismatic, parent: ground, child: slide, axis: [1, 0, 0]}
  z: {type: prismatic, parent: slide, child: ball, axis: [0, 0, 1]}
obstacles: {floor: {plane: {}}}
contacts: {skin: {of: ball.skin, with: floor, friction: 0.2, restitution: 0.6}}
"""
ROBOTS = ["double_pendulum", "canadarm", "elastic_arm", "cable_manipulator", "stewart_platform"]


def _unit(name: str, folder: Path, **asked: Any) -> tuple[Any, Path]:
    robot = symdyn.load_example(name)
    return robot, symdyn.export_fmu(robot, folder / f"{name}.fmu", **asked)


@pytest.mark.parametrize("name", ROBOTS)
def test_fmpy_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    """The description against the schema, its names, units and structure."""
    from fmpy.validation import validate_fmu

    _, unit = _unit(name, tmp_path, binary=False)
    assert validate_fmu(str(unit)) == []


@pytest.mark.parametrize(("kind", "interval"), [("ModelExchange", 0.1), ("CoSimulation", 20.0), ("CoSimulation", 0.1)])
def test_a_ball_comes_back_from_a_post(kind: str, interval: float, tmp_path: Path) -> None:
    """FMPy's CVODE by the event indicator, in steps shorter than the post; the unit's own stepper in any."""
    import fmpy
    from fmpy.validation import validate_fmu

    robot = symdyn.loads(POST, format="yaml")
    unit = symdyn.export_fmu(robot, tmp_path / "post.fmu")
    assert validate_fmu(str(unit)) == []
    found = fmpy.simulate_fmu(
        str(unit),
        fmi_type=kind,
        stop_time=20.0,
        start_values={"v.x": 1.0},
        output=["v.x"],
        output_interval=interval,
        relative_tolerance=1e-7,
    )
    assert found["v.x"][-1] == pytest.approx(-1.0, abs=3e-4)


def test_a_ball_bounces_in_co_simulation_alone(tmp_path: Path) -> None:
    """Steps with rigid contacts are those of the compiled stepper; other steppers and model exchange are refused."""
    import fmpy
    from fmpy.validation import validate_fmu

    robot = symdyn.loads(BALL, format="yaml")
    unit = symdyn.export_fmu(robot, tmp_path / "ball.fmu")
    assert validate_fmu(str(unit)) == []
    assert fmpy.read_model_description(str(unit)).modelExchange is None
    times, names = np.linspace(0.0, 1.0, 51), ["q.x", "q.z", "v.x", "v.z"]
    found = fmpy.simulate_fmu(
        str(unit), stop_time=1.0, start_values={"q.z": 0.5, "v.x": 1.0}, output=names, output_interval=0.02
    )
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    truth = module.advance_contacts([0.0, 0.5], [1.0, 0.0], np.zeros(2), times=times, h=1e-3)
    assert found["time"] == pytest.approx(times, abs=1e-12)
    states = np.array([found[name] for name in names]).T
    assert states == pytest.approx(np.hstack([truth.q, truth.v]), abs=1e-9)
    assert truth.q[:, 1].min() < 0.11 and abs(truth.v[-1, 0]) < 0.9
    for stepper in (None, "dop853"):
        with pytest.raises(symdyn.SymdynError, match="does not feel; take stepper='contacts'"):
            symdyn.export_fmu(robot, tmp_path / "none.fmu", stepper=stepper)


@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
@pytest.mark.parametrize("name", ["double_pendulum", "elastic_arm"])
def test_fmpy_moves_it_as_symdyn_does(name: str, kind: str, tmp_path: Path) -> None:
    """FMPy's CVODE, or the unit's own stepper, against DOP853 at 1e-10.

    CVODE at 1e-9 errs by 1e-6 in 1 s, and by 1e-5 where a spring vibrates a hundred times meanwhile.
    """
    import fmpy

    robot, unit = _unit(name, tmp_path)
    start = {f"q.{row}": 0.3 for row in robot.coordinate_names}
    names = [f"q.{row}" for row in robot.coordinate_names] + [f"v.{row}" for row in robot.velocity_names]
    found = fmpy.simulate_fmu(
        str(unit),
        fmi_type=kind,
        stop_time=1.0,
        start_values=start,
        output=names,
        output_interval=0.01,
        relative_tolerance=1e-9,
    )
    truth = symdyn.simulate(
        robot,
        np.full(robot.nq, 0.3),
        np.zeros(robot.nv),
        np.linspace(0, 1, 11),
        method="dop853",
        rtol=1e-10,
        atol=1e-10,
    )
    end = np.array([found[-1][name] for name in names])
    target = np.concatenate([truth.q[-1], truth.v[-1]])
    np.testing.assert_allclose(
        end, target, rtol=0, atol=(1e-6 if name == "double_pendulum" else 1e-5) * max(1.0, np.abs(target).max())
    )


def test_sources_are_built_by_fmpy(tmp_path: Path) -> None:
    """A unit of sources alone, compiled by the importer, moves as the one with a binary."""
    import fmpy
    from fmpy.build import build_platform_binary

    _, whole = _unit("double_pendulum", tmp_path)
    sources = tmp_path / "sources.fmu"
    symdyn.export_fmu(symdyn.load_example("double_pendulum"), sources, binary=False)
    folder = tmp_path / "sources"
    shutil.unpack_archive(sources, folder, "zip")
    (tmp_path / "build").mkdir()
    build_platform_binary(folder, tmp_path / "build")
    ends = [fmpy.simulate_fmu(str(unit), stop_time=0.5, fmi_type="ModelExchange")[-1] for unit in (whole, folder)]
    np.testing.assert_allclose(*(list(end) for end in ends), rtol=0, atol=1e-7)


def test_casadi_reads_it(tmp_path: Path) -> None:
    """CasADi's DaeBuilder: rates, and their Jacobian by the unit's own derivatives."""
    import casadi

    robot, unit = _unit("double_pendulum", tmp_path)
    folder = tmp_path / "unpacked"
    shutil.unpack_archive(unit, folder, "zip")
    dae = casadi.DaeBuilder("arm", str(folder))
    rate = dae.create("rate", ["x", "u"], ["ode"])
    rng = np.random.default_rng(1)
    y, tau = rng.standard_normal(robot.nq + robot.nv), rng.standard_normal(robot.nv)
    module = symdyn.compile(robot, ["state_derivative", "state_jacobian"], lanes=False)
    np.testing.assert_allclose(np.array(rate(y, tau)).ravel(), module.state_derivative(y, tau), rtol=0, atol=1e-14)
    x, u = casadi.MX.sym("x", len(y)), casadi.MX.sym("u", len(tau))
    slope = casadi.Function("slope", [x, u], [casadi.jacobian(rate(x, u), x)])
    target = module.state_jacobian(y, tau).d_dy
    np.testing.assert_allclose(np.array(slope(y, tau)), target, rtol=0, atol=1e-12 * np.abs(target).max())


def test_the_interface_is_clean_under_sanitizers(tmp_path: Path) -> None:
    """Compiled with -Wall -Wextra -Werror, and run under the address and undefined-behaviour sanitizers."""
    folder = symdyn.generate(
        symdyn.load_example("double_pendulum"),
        ["state_derivative"],
        out=tmp_path / "made",
        target="fmu",
        steppers=["rk4"],
    )
    token = next(
        line for line in (folder / "modelDescription.xml").read_text().splitlines() if "instantiationToken" in line
    )
    token = token.partition('instantiationToken="')[2].partition('"')[0]
    (folder / "drive.c").write_text(DRIVER.replace("TOKEN", token))
    sources = [str(path) for path in folder.glob("*.c") if not path.name.endswith("_lanes.c")]
    program = tmp_path / "drive"
    words = [
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    ]
    subprocess.run(["cc", *words, *sources, "-lm", "-o", str(program)], check=True, cwd=folder)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    assert float(done.stdout) < 0.0


DRIVER = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void *fmi3InstantiateCoSimulation(
    const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
    void (*)(void *, int, const char *, const char *),
    void (*)(void *, double, bool, bool, bool, bool, bool *, double *));
void fmi3FreeInstance(void *);
int fmi3EnterInitializationMode(void *, bool, double, double, bool, double);
int fmi3ExitInitializationMode(void *);
int fmi3GetFloat64(void *, const uint32_t *, size_t, double *, size_t);
int fmi3SetFloat64(void *, const uint32_t *, size_t, const double *, size_t);
int fmi3DoStep(void *, double, double, bool, bool *, bool *, bool *, double *);
int fmi3GetFMUState(void *, void **);
int fmi3SetFMUState(void *, void *);
int fmi3FreeFMUState(void *, void **);
int fmi3GetAdjointDerivative(
    void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t, double *, size_t);

int main(void)
{
  void *const unit =
      fmi3InstantiateCoSimulation("a", "TOKEN", "", false, false, false, false, NULL, 0, NULL, NULL, NULL);
  if (unit == NULL) return 1;
  const uint32_t first = 1, rate = 7;
  double value = 1.0, one = 1.0, seed[1] = {1.0}, found[1], time = 0.0;
  int status = fmi3SetFloat64(unit, &first, 1, &value, 1);
  status |= fmi3EnterInitializationMode(unit, false, 0.0, 0.0, false, 0.0) | fmi3ExitInitializationMode(unit);
  void *kept = NULL;
  status |= fmi3GetFMUState(unit, &kept);
  bool flags[3];
  for (int i = 0; i < 100; ++i) {
    status |= fmi3DoStep(unit, time, 0.01, true, flags, flags + 1, flags + 2, &time);
  }
  status |= fmi3SetFMUState(unit, kept) | fmi3FreeFMUState(unit, &kept);
  status |= fmi3GetAdjointDerivative(unit, &rate, 1, &first, 1, seed, 1, found, 1);
  status |= fmi3GetFloat64(unit, &rate, 1, &one, 1);
  fmi3FreeInstance(unit);
  printf("%.17g\\n", one);
  return status;
}
"""
