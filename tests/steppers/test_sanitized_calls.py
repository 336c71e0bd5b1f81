"""Every stepper and the solver of a mast with a linkage, under the address and undefined-behaviour sanitizers.

Zones around arguments do not lie beside the tables and arrays within a file: an index beyond these shows only here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.robots.mast import mast

import symdyn
from symdyn.interface.manifest import FILE_NAME, Manifest

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
SANITIZED = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
STATE = """
#include "mast.h"

#define DONE(call) do { if ((call) != 0) { return __LINE__; } } while (0)

static const double q[MAST_NQ] = { 0.1, 0.2, -0.1, 1.0, -0.135, -0.675, -1.336 };
static const double v[MAST_NV] = { 0.3, -0.2, 0.5, 0.1, 0.0, 0.0 };
static const double tau[MAST_NV] = { 0.0 };
static const double times[4] = { 0.0, 0.004, 0.004, 0.01 };
static double q_next[MAST_NQ], v_next[MAST_NV], lambda[2], q_at[4 * MAST_NQ], v_at[4 * MAST_NV];
static size_t counts[3];
"""
EVERY_METHOD = """
static const double T[3 * MAST_NV] = { 0.0 };
static double rk4[MAST_STEP_RK4_WORK], dop853[MAST_STEP_DOP853_WORK], taylor[MAST_STEP_TAYLOR_WORK];
static double alpha[MAST_STEP_GENERALISED_ALPHA_WORK], statics[MAST_SOLVE_STATICS_WORK];

int main(void)
{
  DONE(mast_step_rk4(q, v, tau, 0.01, q_next, v_next, rk4));
  DONE(mast_step_rk4_advance(q, v, tau, times, 4, 0.003, 9, q_at, v_at, counts, rk4));
  DONE(mast_step_dop853(q, v, tau, 0.01, q_next, v_next, dop853));
  DONE(mast_step_dop853_advance(q, v, tau, times, 4, 1e-6, 1e-6, 99, q_at, v_at, counts, dop853));
  DONE(mast_step_taylor(q, v, T, 0.001, q_next, v_next, taylor));
  DONE(mast_step_taylor_advance(q, v, T, times, 4, 1e-4, 1e-4, 999, q_at, v_at, counts, taylor));
  DONE(mast_step_generalised_alpha_start(q, v, tau, alpha));
  for (int step = 0; step < 3; ++step) {
    DONE(mast_step_generalised_alpha(q, v, tau, 0.003, q_next, v_next, alpha));
  }
  DONE(mast_step_generalised_alpha_advance(q, v, tau, times, 4, 0.003, 9, q_at, v_at, counts, alpha));
  DONE(mast_solve_statics(q, tau, 1000, q_next, lambda, counts, statics));
  return 0;
}
"""
PRESCRIBED = """
static const double crank[12] = { -0.135, 0.1, 0.2, -0.1346, 0.1008, 0.2, -0.1346, 0.1008, 0.2, -0.134, 0.102, 0.2 };
static double alpha[MAST_STEP_GENERALISED_ALPHA_WORK], statics[MAST_SOLVE_STATICS_WORK], forces[MAST_NV];

int main(void)
{
  DONE(mast_step_generalised_alpha_start(q, v, tau, crank, alpha));
  DONE(mast_step_generalised_alpha(q, v, tau, crank + 3, 0.004, q_next, v_next, alpha));
  DONE(mast_step_generalised_alpha_advance(q, v, tau, crank, times, 4, 0.003, 9, q_at, v_at, counts, alpha));
  DONE(mast_solve_statics(q, tau, 1000, q_next, forces, lambda, counts, statics));
  return 0;
}
"""
POST = """
name: post
gravity: [0, 0, 0]
links: {ground: {}, turret: {mass: 1, inertia: {xx: 0.1, yy: 0.2, zz: 0.3}}, ball: {mass: 0.5}}
joints:
  turn: {type: spherical, parent: ground, child: turret}
  x: {type: prismatic, parent: turret, child: ball, axis: [1, 0, 0]}
contacts:
  near: {of: ball, radius: 0.1, with: {sphere: {center: [5, 0.01, 0], radius: 0.1}}, stiffness: 1e9, exponent: 4}
  far: {of: ball, radius: 0.1, with: {sphere: {center: [0, 0, 6], radius: 0.1}}, stiffness: 1e9, exponent: 4}
"""
CONTACTS = """
#include "post.h"

#define DONE(call) do { if ((call) != 0) { return __LINE__; } } while (0)
#define PASSES(call) do { if ((call) != POST_STEP_CONTACT_PASSED) { return __LINE__; } } while (0)

static const double q[POST_NQ] = { 0.0, 0.0, 0.0, 1.0, 0.0 };
static const double v[POST_NV] = { 0.01, 0.0, 0.0, 1.0 };
static const double tau[POST_NV] = { 0.0 };
static const double T[4 * POST_NV] = { 0.0 };
static const double times[4] = { 0.0, 4.9, 4.9, 9.0 };
static double q_next[POST_NQ], v_next[POST_NV], q_at[4 * POST_NQ], v_at[4 * POST_NV];
static double rk4[POST_STEP_RK4_WORK], dop853[POST_STEP_DOP853_WORK], taylor[POST_STEP_TAYLOR_WORK];
static double alpha[POST_STEP_GENERALISED_ALPHA_WORK];
static size_t counts[3];

int main(void)
{
  PASSES(post_step_rk4(q, v, tau, 9.0, q_next, v_next, rk4));
  PASSES(post_step_rk4_advance(q, v, tau, times, 4, 9.0, 9, q_at, v_at, counts, rk4));
  PASSES(post_step_dop853(q, v, tau, 9.0, q_next, v_next, dop853));
  DONE(post_step_dop853_advance(q, v, tau, times, 4, 1e-6, 1e-6, 999, q_at, v_at, counts, dop853));
  PASSES(post_step_taylor(q, v, T, 9.0, q_next, v_next, taylor));
  DONE(post_step_taylor_advance(q, v, T, times, 4, 1e-4, 1e-4, 99999, q_at, v_at, counts, taylor));
  DONE(post_step_generalised_alpha_start(q, v, tau, alpha));
  PASSES(post_step_generalised_alpha(q, v, tau, 9.0, q_next, v_next, alpha));
  return q_at[19] < 4.8 ? 0 : __LINE__;
}
"""
GA = "generalised-alpha"
CASES: dict[str, tuple[str, bool, dict[str, Any]]] = {
    "every method": (EVERY_METHOD, False, {"steppers": ["rk4", "dop853", "taylor", GA], "order": 2}),
    "prescribed": (PRESCRIBED, True, {"steppers": [GA], "prescribed": ["input"]}),
}


@pytest.mark.parametrize("case", CASES)
def test_sanitizers_find_nothing(tmp_path: Path, case: str) -> None:
    main, tethered, asked = CASES[case]
    place = Path(
        symdyn.generate(mast(True, tethered), ["gravity"], out=tmp_path / "mast", solvers=["statics"], **asked)
    )
    (place / "main.c").write_text(STATE + main)
    _check(place)


def test_sanitizers_find_nothing_where_contacts_are_followed(tmp_path: Path) -> None:
    robot = symdyn.loads(POST, format="yaml")
    methods = ["rk4", "dop853", "taylor", GA]
    place = Path(symdyn.generate(robot, ["gravity"], out=tmp_path / "post", steppers=methods, order=3))
    (place / "main.c").write_text(CONTACTS)
    _check(place)


def _check(place: Path) -> None:
    manifest = Manifest.from_json((place / FILE_NAME).read_text())
    for flags, names in (["-O0"], manifest.sources), (SANITIZED, ("main.c", *manifest.calling_sources)):
        command = ["gcc", "-std=c99", "-ffp-contract=off", *flags, "-c", *names]
        subprocess.run(command, cwd=place, check=True, timeout=120)
    objects = sorted(path.name for path in place.glob("*.o"))
    subprocess.run(["gcc", *SANITIZED, *objects, "-o", "checked", "-lm"], cwd=place, check=True, timeout=60)
    done = subprocess.run(["./checked"], cwd=place, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
