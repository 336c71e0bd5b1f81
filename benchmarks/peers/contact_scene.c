/* Scenes of a quadruped with rigid contacts: steps of 1 ms with a servo per joint, timed together in CPU time. */
#define _POSIX_C_SOURCE 199309L
#include "quadruped.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "thread_clock.h"

#define STEPS 2000
#define JOINTS 12

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
    static double slopes[9][QUADRUPED_NV * QUADRUPED_NV], room[QUADRUPED_CONTACT_STEP_PARTIALS_WORK];
    double least = 1e9;
    for (int repeat = 0; repeat < 30; ++repeat) {
      const double begin = now();
      for (int i = 0; i < 300; ++i) {
        quadruped_contact_step_partials(
            q, v, tau, 1e-3, lambda, state, slopes[0], slopes[1], slopes[2], slopes[3], slopes[4], slopes[5],
            slopes[6], slopes[7], slopes[8], room);
      }
      least = fmin(least, (now() - begin) / 300.0);
    }
    printf("partials %.3f\n", least);
    double spent[50];
    for (int batch = 0; batch < 50; ++batch) {
      const double begin = now();
      for (int i = 0; i < 20; ++i) {
        quadruped_step_contacts(q, v, tau, 1e-3, q_next, v_next, lambda, state, &report, work);
      }
      const double mean = (now() - begin) / 20.0;
      int at = batch;
      for (; at > 0 && spent[at - 1] > mean; --at) {
        spent[at] = spent[at - 1];
      }
      spent[at] = mean;
    }
    printf("%s_median %.3f\n", name, spent[25]);
  }
}

static double draw(void)
{
  static unsigned long long state = 88172645463325252ULL;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return 2.0 * (double)(state >> 11) / 9007199254740992.0 - 1.0;
}

/* Landings from random poses and velocities, each of 250 steps: mean and most iterations, steps unsolved, worst residual. */
static void landings(int count)
{
  double worst = 0.0;
  int iterations = 0, most = 0, failed = 0;
  const double begun = now();
  for (int landing = 0; landing < count; ++landing) {
    double q[QUADRUPED_NQ] = { 0.0 }, v[QUADRUPED_NV], tau[QUADRUPED_NV] = { 0.0 };
    double q_next[QUADRUPED_NQ], v_next[QUADRUPED_NV], lambda[64] = { 0.0 };
    int state[64];
    quadruped_contact_report report;
    double length = 0.0;
    q[2] = 0.5;
    for (int i = 3; i < 7; ++i) {
      q[i] = i == 6 ? 1.0 : 0.3 * draw();
      length += q[i] * q[i];
    }
    for (int i = 3; i < 7; ++i) {
      q[i] /= sqrt(length);
    }
    for (int i = 0; i < JOINTS; ++i) {
      q[7 + i] = 0.4 * draw() + (i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.8 : -1.5);
    }
    for (int i = 0; i < QUADRUPED_NV; ++i) {
      v[i] = 2.0 * draw() - (i == 2 ? 1.0 : 0.0);
    }
    for (int step = 0; step < 250; ++step) {
      for (int i = 0; i < JOINTS; ++i) {
        const double stand = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.8 : -1.5;
        tau[6 + i] = fmin(fmax(150.0 * (stand - q[7 + i]) - 5.0 * v[6 + i], -23.7), 23.7);
      }
      failed += quadruped_step_contacts(q, v, tau, 1e-3, q_next, v_next, lambda, state, &report, work) != 0;
      failed += report.code != QUADRUPED_CONTACT_SOLVED;
      iterations += report.newton;
      most = report.newton > most ? report.newton : most;
      worst = fmax(worst, report.residual);
      memcpy(q, q_next, sizeof q);
      memcpy(v, v_next, sizeof v);
    }
  }
  const double mean = (now() - begun) / (250.0 * count);
  printf("landings %.3f %.3f %d %d %.3g 0\n", mean, (double)iterations / (250.0 * count), most, failed, worst);
}

int main(void)
{
  landings(300);
  scene("stand", 0.333, 0.0);
  scene("drop", 0.45, 0.0);
  scene("trot", 0.333, 1.0);
  return 0;
}
