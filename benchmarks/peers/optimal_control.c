/* The Panda's reaching task with the solver that symdyn generates: plans, samples in closed loop, random problems.
 * Usage: main reach FILE COUNT | main samples COUNT | main random COUNT; FILE has poses of goals. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "thread_clock.h"
#include "panda.h"

enum { N = 7 };
static const real start[N] = { 0, (real)-0.5, 0, -2, 0, (real)1.5, (real)0.7 };
static const real rest[N] = { 0 };
static const real most[N] = { 25, 50, 20, 26, 4, 4, 2 };
static real work[PANDA_MPC_WORK], scratch[100000];
static uint64_t state = 88172645463325252u;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

#ifdef RIVAL /* another solver takes the places of the calls, for samples */
#include RIVAL
#define panda_mpc_start rival_start
#define panda_mpc_prepare rival_prepare
#define panda_mpc_feedback rival_feedback
#endif

static double between(double low, double high) { return low + (high - low) * uniform(); }

static int beyond(const real *u)
{
  int count = 0;
  for (int i = 0; i < N; ++i) {
    count += !(u[i] >= -most[i] && u[i] <= most[i]);
  }
  return BOUNDED ? count : 0;
}

/* x, y, z and a quaternion x, y, z, w of the hand at q. */
static void pose_of(const real *q, real *pose)
{
  real X[16];
  panda_forward_kinematics(q, X, scratch);
  const double R[3][3] = { { X[0], X[1], X[2] }, { X[4], X[5], X[6] }, { X[8], X[9], X[10] } };
  double w[4] = { 1 + R[0][0] - R[1][1] - R[2][2], 1 - R[0][0] + R[1][1] - R[2][2], 1 - R[0][0] - R[1][1] + R[2][2],
                  1 + R[0][0] + R[1][1] + R[2][2] };
  int k = 0;
  for (int i = 1; i < 4; ++i) {
    k = w[i] > w[k] ? i : k;
  }
  const double r = 2 * sqrt(w[k]);
  double Q[4];
  if (k == 3) {
    Q[0] = (R[2][1] - R[1][2]) / r, Q[1] = (R[0][2] - R[2][0]) / r, Q[2] = (R[1][0] - R[0][1]) / r, Q[3] = r / 4;
  } else {
    const int i = k, j = (k + 1) % 3, l = (k + 2) % 3;
    Q[i] = r / 4, Q[j] = (R[i][j] + R[j][i]) / r, Q[l] = (R[i][l] + R[l][i]) / r, Q[3] = (R[l][j] - R[j][l]) / r;
  }
  pose[0] = X[3], pose[1] = X[7], pose[2] = X[11];
  for (int i = 0; i < 4; ++i) {
    pose[3 + i] = (real)Q[i];
  }
}

static void reach(const char *file, int count)
{
  real gravity[N], u[N], goal[N], pose[7];
  panda_gravity(start, gravity, scratch);
  FILE *f = fopen(file, "r");
  for (int k = 0; f && k < count; ++k) {
    for (int i = 0; i < N; ++i) {
      double own = 0;
      if (fscanf(f, "%lf", &own) != 1) {
        exit(1);
      }
      goal[i] = (real)own;
    }
    pose_of(goal, pose);
    panda_mpc_report report;
    double best = 1e30;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
      panda_mpc_start(start, rest, gravity, work);
      const double t = now();
      panda_mpc_solve(start, rest, pose, 100, u, &report, work);
      const double spent = now() - t;
      best = spent < best ? spent : best;
    }
    printf("%d %d %d %.12g %.4g %.1f %d\n", report.code, report.iterations, report.qp_iterations, report.cost, report.gap, best,
           beyond(u));
  }
}

static void samples(int count)
{
  real q[N], v[N], u[N], K[2 * N * N], pose[7], goal[N], gravity[N];
  int codes[7] = { 0 }, outside = 0, worst = 0;
  long factors = 0;
  double prepare = 0, feedback = 0, least = 1e30, error = 0, cost = 0;
  panda_gravity(start, gravity, scratch);
  memcpy(q, start, sizeof q);
  memcpy(v, rest, sizeof v);
  panda_mpc_start(q, v, gravity, work);
  for (int k = 0; k < count; ++k) {
    if (k % 150 == 0) { /* a new goal every 3 s */
      for (int i = 0; i < N; ++i) {
        goal[i] = start[i] + (real)between(-0.6, 0.6);
      }
      pose_of(goal, pose);
    }
    real measured[2][N];
    for (int i = 0; i < N; ++i) {
      measured[0][i] = q[i] * (real)(1 + between(-0.01, 0.01));
      measured[1][i] = v[i] * (real)(1 + between(-0.01, 0.01));
    }
    panda_mpc_report report;
    const double t = now();
    panda_mpc_prepare(pose, work);
    const double half = now();
    panda_mpc_feedback(measured[0], measured[1], u, K, &report, work);
    const double end = now();
    prepare += half - t, feedback += end - half, least = end - t < least ? end - t : least;
    ++codes[report.code];
    outside += beyond(u);
    factors += report.qp_iterations;
    worst = report.qp_iterations > worst ? report.qp_iterations : worst;
    for (int step = 0; step < 20; ++step) { /* a plant whose motors are 5 % weak or strong */
      const real h = (real)1e-3;
      real acting[N], q_next[N], v_next[N];
      for (int i = 0; i < N; ++i) {
        acting[i] = u[i] * (real)(1 + 0.05 * sin(0.3 * k + i));
      }
      panda_step(q, v, acting, &h, q_next, v_next, scratch);
      memcpy(q, q_next, sizeof q);
      memcpy(v, v_next, sizeof v);
    }
    real l = 0;
    panda_stage_cost(q, v, u, pose, &l, scratch);
    cost += l;
    if (k % 150 == 149) {
      real now_at[7];
      pose_of(q, now_at);
      error += sqrt(pow(now_at[0] - pose[0], 2) + pow(now_at[1] - pose[1], 2) + pow(now_at[2] - pose[2], 2));
    }
  }
  printf("%d samples: codes", count);
  for (int i = 0; i < 7; ++i) {
    printf(" %d", codes[i]);
  }
  printf("; inputs beyond limits %d; factors %.2f mean, %d most; prepare %.0f us, feedback %.0f us mean, both %.0f us best; "
         "hand %.1f mm from goals after 3 s; cost %.6g\n",
         outside, (double)factors / count, worst, prepare / count, feedback / count, least, 1e3 * error / (count / 150), cost);
}

static void random_problems(int count)
{
  int codes[7] = { 0 }, outside = 0, odd = 0;
  for (int k = 0; k < count; ++k) {
    real q[N], v[N], u[N], K[2 * N * N], pose[7], goal[N];
    const double speed = pow(10, between(-2, 2)), far = uniform() < 0.3 ? 20 : 1;
    for (int i = 0; i < N; ++i) {
      q[i] = (real)between(-3, 3), v[i] = (real)(speed * between(-1, 1)), goal[i] = (real)between(-3, 3);
      u[i] = (real)(2 * most[i] * between(-1, 1));
    }
    pose_of(goal, pose);
    for (int i = 0; i < 3; ++i) {
      pose[i] *= (real)far; /* out of reach */
    }
    real *const all[3] = { q, v, pose };
    const double luck = uniform();
    panda_mpc_start(q, v, u, work);
    if (luck < 0.05) {
      all[k % 3][k % 7] = (real)(luck < 0.025 ? NAN : INFINITY);
    } else if (luck < 0.07) {
      v[k % 7] = (real)(sizeof(real) == 8 ? 1e200 : 1e25);
    }
    panda_mpc_report report;
    panda_mpc_solve(q, v, pose, 1 + (int)(4 * uniform()), u, &report, work);
    ++codes[report.code];
    outside += beyond(u);
    panda_mpc_prepare(pose, work);
    panda_mpc_feedback(q, v, u, K, &report, work);
    outside += beyond(u);
    for (int i = 0; i < 2 * N * N; ++i) {
      odd += !(K[i] - K[i] == 0);
    }
  }
  printf("%d random problems: codes", count);
  for (int i = 0; i < 7; ++i) {
    printf(" %d", codes[i]);
  }
  printf("; inputs beyond limits %d, gains that are not finite %d\n", outside, odd);
}

int main(int argc, char **argv)
{
  if (argc > 3 && !strcmp(argv[1], "reach")) {
    reach(argv[2], atoi(argv[3]));
  } else if (argc > 2 && !strcmp(argv[1], "samples")) {
    samples(atoi(argv[2]));
  } else if (argc > 2) {
    random_problems(atoi(argv[2]));
  }
  return 0;
}
