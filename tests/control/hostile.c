/* Calls of a pendulum's solver with what it should never be given. Each ends with a code, inputs within limits, gains
 * that are numbers. Usage: main COUNT; it prints how often each code came, and what went wrong. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "double_pendulum.h"

static const double bounds[2][2] = BOUNDS;
static uint64_t state = 88172645463325252u;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

static real value(double odd)
{
  static const double sizes[8] = { 1e-300, 1e-8, 0, 1e3, 1e8, 1e30, 1e154, 1e300 };
  const double kind = uniform(), sign = uniform() < 0.5 ? -1 : 1;
  if (uniform() > odd) {
    return (real)(sign * 3 * uniform());
  }
  return kind < 0.15 ? (real)NAN : kind < 0.3 ? (real)(sign * INFINITY) : (real)(sign * sizes[(int)(8 * uniform())]);
}

static void fill(int count, double odd, real *own)
{
  for (int i = 0; i < count; ++i) {
    own[i] = value(odd);
  }
}

int main(int argc, char **argv)
{
  static real work[DOUBLE_PENDULUM_MPC_WORK], X[4 * (STEPS + 1)], U[2 * STEPS];
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  int codes[7] = { 0 }, wrong[3] = { 0 };
  for (int k = 0; k < count; ++k) {
    real q[2], v[2], u[2], K[8], y[3];
    const double odd = uniform() < 0.5 ? 0 : uniform() < 0.7 ? 0.02 : 0.2;
    fill(2, odd, q), fill(2, odd, v), fill(2, odd, u), fill(3, odd, y);
    double_pendulum_mpc_start(q, v, u, work);
    for (int call = 0; call < 6; ++call) {
      double_pendulum_mpc_report report;
      if (uniform() < 0.5) {
        fill(2, odd, q), fill(2, odd, v), fill(3, odd, y);
      }
      int code = 0;
      if (uniform() < 0.4) {
        code = double_pendulum_mpc_solve(q, v, y, (int)(6 * uniform()) - 1, u, &report, work);
      } else {
        const int ready = uniform() < 0.9 ? double_pendulum_mpc_prepare(y, work) : 0;
        wrong[0] += ready < 0 || ready > 6;
        code = double_pendulum_mpc_feedback(q, v, u, K, &report, work);
        for (int i = 0; i < 8; ++i) {
          wrong[1] += !(K[i] - K[i] == 0);
        }
      }
      wrong[0] += code != report.code || code < 0 || code > 6;
      ++codes[code];
      double_pendulum_mpc_plan(work, X, U);
      for (int i = 0; i < 2; ++i) {
        for (int node = 0; node < STEPS; ++node) {
          wrong[2] += !(U[2 * node + i] >= (real)bounds[i][0] && U[2 * node + i] <= (real)bounds[i][1]);
        }
#ifdef CHANGE
        for (int node = 1; node < STEPS; ++node) { /* a bit more: of sums and differences */
          wrong[2] += !(fabs(U[2 * node + i] - U[2 * node - 2 + i]) <= CHANGE + 1e-15);
        }
#endif
        wrong[2] += !(u[i] >= (real)bounds[i][0] && u[i] <= (real)bounds[i][1]);
      }
    }
  }
  for (int i = 0; i < 7; ++i) {
    printf("%d ", codes[i]);
  }
  printf("%d %d %d\n", wrong[0], wrong[1], wrong[2]);
  return 0;
}
