/* Rollouts of a soft arm by the explicit method of Tsitouras (2011) with fixed steps, eight or so side by side in lanes.
 * Usage: main ROLLOUTS STEPS H; prints processor seconds, and the last state of the first rollout. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "thread_clock.h"
#include "cable.h"

enum { N = 24, L = CABLE_LANES, STATE = 2 * N * L, STAGES = 7 };
/* Coefficients of Ch. Tsitouras, Computers and Mathematics with Applications 62 (2011); the last row has the weights, and the
 * seventh stage is the first of the next step. */
static const double a[STAGES - 1][STAGES - 1] = {
  { 0.161 },
  { -0.008480655492356989, 0.335480655492357 },
  { 2.8971530571054935, -6.359448489975075, 4.3622954328695815 },
  { 5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525 },
  { 5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383 },
  { 0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774 },
};
static real x[STATE], own[STATE], k[STAGES][STATE], tau[N * L], work[CABLE_FORWARD_DYNAMICS_LANES_WORK];

/* d/dt (q, v) of a block: rows of q, then of v, each with its lanes. */
static void rate(const real *state, real *out)
{
  memcpy(out, state + N * L, N * L * sizeof *out);
  cable_forward_dynamics_batch_lanes(L, state, state + N * L, tau, out + N * L, work);
}

int main(int argc, char **argv)
{
  const int rollouts = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 10000;
  const double h = argc > 3 ? atof(argv[3]) : 1e-4;
  real first[2 * N] = { 0 };
  double spent = 0;
  int finite = 1;
  for (int block = 0; block * L < rollouts; ++block) {
    memset(x, 0, sizeof x);
    for (int lane = 0; lane < L; ++lane) { /* bent at the start, each a little more */
      x[(4 + 0) * L + lane] = (real)(2 + 0.01 * (block * L + lane));
    }
    const double begun = now();
    rate(x, k[0]);
    for (int step = 0; step < steps; ++step) {
      for (int stage = 1; stage < STAGES; ++stage) {
        for (int i = 0; i < STATE; ++i) {
          real sum = 0;
          for (int j = 0; j < stage; ++j) {
            sum += (real)a[stage - 1][j] * k[j][i];
          }
          own[i] = x[i] + (real)h * sum;
        }
        rate(own, k[stage]);
      }
      memcpy(x, own, sizeof x); /* the last stage is at the next state */
      memcpy(k[0], k[STAGES - 1], sizeof k[0]);
    }
    spent += now() - begun;
    for (int i = 0; i < STATE; ++i) {
      finite = finite && x[i] - x[i] == 0;
    }
    for (int i = 0; !block && i < 2 * N; ++i) {
      first[i] = x[i * L];
    }
  }
  printf("%d %.6f %d\n", finite, 1e-6 * spent, L);
  for (int i = 0; i < 2 * N; ++i) {
    printf("%.17g%c", (double)first[i], i == 2 * N - 1 ? '\n' : ' ');
  }
  return 0;
}
