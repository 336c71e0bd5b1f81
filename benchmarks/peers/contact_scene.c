/* Scenes of a quadruped with rigid contacts: steps of 1 ms with a servo per joint, timed together in CPU time. */
#include "quadruped.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define STEPS 2000
#define JOINTS 12

static double now(void)
{
  return 1e6 * (double)clock() / CLOCKS_PER_SEC;
}

static double work[QUADRUPED_STEP_CONTACTS_WORK];

/* The base is at a height above the plane z = 0 of the world, which gravity may tilt; a trot swings thighs and calves. */
static void scene(const char *name, double height, double swing)
{
  const double turn = 6.283185307179586;
  double q[QUADRUPED_NQ] = { 0.0 }, v[QUADRUPED_NV] = { 0.0 }, tau[QUADRUPED_NV] = { 0.0 };
  double q_next[QUADRUPED_NQ], v_next[QUADRUPED_NV], lambda[64] = { 0.0 }, worst = 0.0, place[3] = { 0.0 };
  int state[64], iterations = 0, most = 0, failed = 0;
  quadruped_contact_report report;
  q[2] = height;
  q[6] = 1.0;
  for (int leg = 0; leg < 4; ++leg) {
    q[7 + 3 * leg + 1] = 0.8;
    q[7 + 3 * leg + 2] = -1.5;
  }
  const double begun = now();
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < JOINTS; ++i) {
      const double phase = 2.0 * turn * 1e-3 * step + (i / 3 == 0 || i / 3 == 3 ? 0.0 : 0.5 * turn);
      const double stand = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.8 + 0.25 * swing * sin(phase) : -1.5 - 0.5 * swing * fmax(0.0, sin(phase));
      tau[6 + i] = fmin(fmax(150.0 * (stand - q[7 + i]) - 5.0 * v[6 + i], -23.7), 23.7);
    }
    failed += quadruped_step_contacts(q, v, tau, 1e-3, q_next, v_next, lambda, state, &report, work) != 0;
    failed += report.code != QUADRUPED_CONTACT_SOLVED;
    iterations += report.newton;
    most = report.newton > most ? report.newton : most;
    worst = fmax(worst, report.residual);
    memcpy(q, q_next, sizeof q);
    memcpy(v, v_next, sizeof v);
    if (step == STEPS / 2 - 1) {
      memcpy(place, q, sizeof place);
    }
  }
  const double mean = (now() - begun) / STEPS;
  const double moved = sqrt((q[0] - place[0]) * (q[0] - place[0]) + (q[1] - place[1]) * (q[1] - place[1]));
  printf(
      "%s %.3f %.3f %d %d %.3g %.3g\n", name, mean,
      (double)iterations / STEPS, most, failed, worst, moved);
  if (swing == 0.0 && strcmp(name, "drop") != 0) {
    double best = 1e9;
    for (int repeat = 0; repeat < 30; ++repeat) {
      const double begin = now();
      for (int i = 0; i < 1000; ++i) {
        quadruped_step_contacts(q, v, tau, 1e-3, q_next, v_next, lambda, state, &report, work);
      }
      best = fmin(best, (now() - begin) / 1000.0);
    }
    printf("%s_best %.3f\n", name, best);
  }
}

int main(void)
{
  scene("stand", 0.333, 0.0);
  scene("drop", 0.45, 0.0);
  scene("trot", 0.333, 1.0);
  return 0;
}
