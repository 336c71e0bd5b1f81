/* Samples of optimal control of the arm with seven joints on an emulated Cortex-M7: instructions by SysTick, which an
 * emulator with -icount shift=0 moves by one tick of 25 MHz per 40 instructions, and the stack by what was painted. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "arm.h"

enum { N = 7, SAMPLES = 60, PAINTED = 16384 };
static const float q0[N] = { 0, -0.5f, 0, -2, 0, 1.5f, 0.7f };
static const float goal[3] = GOAL, most[N] = EFFORT;
static float work[ARM_MPC_WORK], scratch[2000];
extern unsigned char stack_top[];

static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;

static uint32_t elapsed(uint32_t from) { return 40 * ((from - systick[2]) & 0xFFFFFF); }

static int __attribute__((noinline)) deepest(void)
{
  const unsigned char *own = stack_top - PAINTED;
  while (*own == 0xA5) {
    ++own;
  }
  return (int)(stack_top - own);
}

int main(void)
{
  unsigned char here;
  memset(stack_top - PAINTED, 0xA5, (size_t)(&here - 256 - (stack_top - PAINTED)));
  const int before = deepest();
  float q[N], v[N] = { 0 }, u[N], K[2 * N * N], q_next[N], v_next[N], gravity[N];
  const float h = 0.04f;
  double sum = 0, ahead = 0;
  uint32_t worst = 0, least = 0xFFFFFFFF;
  int codes[7] = { 0 }, factors = 0, factors_most = 0, beyond = 0;
  arm_mpc_report report;
  memcpy(q, q0, sizeof q);
  systick[1] = 0xFFFFFF;
  systick[2] = 0;
  systick[0] = 5;
  arm_gravity(q, gravity, scratch);
  arm_mpc_start(q, v, gravity, work);
  arm_mpc_solve(q, v, goal, 30, u, &report, work);
  const int plan = report.code, iterations = report.iterations;
  const double cost = report.cost;
  for (int k = 0; k < SAMPLES; ++k) {
    const uint32_t from = systick[2];
    arm_mpc_prepare(goal, work);
    const uint32_t half = elapsed(from);
    arm_mpc_feedback(q, v, u, K, &report, work);
    const uint32_t spent = elapsed(from);
    ahead += half, sum += spent;
    worst = spent > worst ? spent : worst, least = spent < least ? spent : least;
    ++codes[report.code];
    factors += report.qp_iterations;
    factors_most = report.qp_iterations > factors_most ? report.qp_iterations : factors_most;
    for (int i = 0; i < N; ++i) {
      beyond += !(u[i] >= -most[i] && u[i] <= most[i]);
      u[i] *= 0.95f; /* weak motors */
    }
    arm_step(q, v, u, &h, q_next, v_next, scratch);
    memcpy(q, q_next, sizeof q);
    memcpy(v, v_next, sizeof v);
  }
  FILE *file = fopen("numbers.txt", "w");
  fprintf(file, "%d %d %.9g %.0f %.0f %lu %lu %d %d %d %d %d %d %d\n", plan, iterations, cost, sum / SAMPLES, ahead / SAMPLES,
          (unsigned long)least, (unsigned long)worst, factors, factors_most, codes[0], codes[2], beyond, deepest(), before);
  fclose(file);
  return 0;
}
