/* A soft arm's tip is to reach points, by the solver that symdyn generates: one plan, then samples in closed loop with a
 * plant apart from the model: the generalised-alpha method at 1 ms, cables 5 % weak or strong, 1 % noise in what is measured.
 * Usage: main COUNT */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "thread_clock.h"
#include "cable.h"

enum { N = 24, CABLES = 5, GOALS = 20, EACH = 100 };
static real work[CABLE_MPC_WORK], plant[CABLE_STEP_GENERALISED_ALPHA_WORK], scratch[100000], goals[GOALS][3];
static uint64_t state = 88172645463325252u;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

static int advance(real *q, real *v, const real *u, int steps)
{
  real q_next[N], v_next[N];
  int failed = 0;
  cable_step_generalised_alpha_start(q, v, u, plant);
  for (int i = 0; i < steps; ++i) {
    failed += cable_step_generalised_alpha(q, v, u, (real)1e-3, q_next, v_next, plant) != CABLE_STEP_DONE;
    memcpy(q, q_next, sizeof q_next);
    memcpy(v, v_next, sizeof v_next);
  }
  return failed;
}

static void tip(const real *q, real *x)
{
  real X[16];
  cable_forward_kinematics(q, X, scratch);
  x[0] = X[3], x[1] = X[7], x[2] = X[11];
}

static double distance(const real *q, const real *goal)
{
  real x[3];
  tip(q, x);
  return 1e3 * sqrt(pow(x[0] - goal[0], 2) + pow(x[1] - goal[1], 2) + pow(x[2] - goal[2], 2));
}

int main(int argc, char **argv)
{
  const int count = argc > 1 ? atoi(argv[1]) : 500;
  const real slack[CABLES] = { 1, 1, 1, 1, 1 };
  real q[N] = { 0 }, v[N] = { 0 }, q0[N], v0[N], u[CABLES], K[CABLES * 2 * N];
  int failed = 0, codes[7] = { 0 }, outside = 0, worst = 0;
  for (int k = 0; k < GOALS; ++k) { /* where the tip rests under tensions between 0 and 10 N; the first are the paper's */
    for (int i = 0; i < CABLES; ++i) {
      u[i] = (real)(10 * uniform());
    }
    const real first[CABLES] = { 8, 0, 2, 4, 0 };
    failed += advance(q, v, k ? u : first, 3000);
    tip(q, goals[k]);
  }
  failed += advance(q, v, slack, 4000);
  memcpy(q0, q, sizeof q);
  memset(v0, 0, sizeof v0);
  cable_mpc_report report;
  double best = 1e30;
  for (int repeat = 0; repeat < 5; ++repeat) {
    cable_mpc_start(q0, v0, slack, work);
    const double t = now();
    cable_mpc_solve(q0, v0, goals[0], 100, u, &report, work);
    const double spent = now() - t;
    best = spent < best ? spent : best;
  }
  printf("plan: code %d, %d iterations, %d factors, cost %.9g, %.0f us; start %.1f mm from the goal\n", report.code, report.iterations,
         report.qp_iterations, report.cost, best, distance(q0, goals[0]));
  double prepare = 0, feedback = 0, least = 1e30, most = 0, error = 0, linearised = 1e30;
  long factors = 0;
  memcpy(v, v0, sizeof v);
  for (int k = 0; k < count; ++k) {
    const real *const goal = goals[k / EACH % GOALS];
    real measured[2][N], acting[CABLES];
    for (int i = 0; i < N; ++i) {
      measured[0][i] = q[i] * (real)(1 + 0.01 * (2 * uniform() - 1));
      measured[1][i] = v[i] * (real)(1 + 0.01 * (2 * uniform() - 1));
    }
    const double t = now();
    cable_mpc_prepare(goal, work);
    const double half = now();
    cable_mpc_feedback(measured[0], measured[1], u, K, &report, work);
    const double end = now();
    prepare += half - t, feedback += end - half, linearised = half - t < linearised ? half - t : linearised;
    least = end - t < least ? end - t : least, most = end - t > most ? end - t : most;
    ++codes[report.code];
    factors += report.qp_iterations;
    worst = report.qp_iterations > worst ? report.qp_iterations : worst;
    for (int i = 0; i < CABLES; ++i) {
      outside += !(u[i] >= 0 && u[i] <= 15);
      acting[i] = u[i] * (real)(1 + 0.05 * sin(0.3 * k + i));
    }
    failed += advance(q, v, acting, 20);
    error += k % EACH == EACH - 1 ? distance(q, goal) : 0;
    if (k == 6 || k == EACH - 1) {
      printf("tip %.1f mm from the goal after %.2f s\n", distance(q, goal), 0.02 * (k + 1));
    }
  }
  printf("%d samples: codes", count);
  for (int i = 0; i < 7; ++i) {
    printf(" %d", codes[i]);
  }
  printf("; tensions beyond limits %d, steps of the plant that failed %d; factors %.2f mean, %d most; prepare %.0f us, feedback "
         "%.0f us mean, both %.0f us best, %.0f us worst; prepare at best %.1f us a node; tip %.2f mm from goals after 2 s\n",
         outside, failed, (double)factors / count, worst, prepare / count, feedback / count, least, most, linearised / PLAN_STEPS,
         error / (count / EACH));
  return 0;
}
