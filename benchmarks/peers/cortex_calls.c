/* Instructions of one call on an emulated Cortex-M by SysTick, which an emulator with -icount shift=0 moves by one tick of
 * 25 MHz per 40 instructions. "states.h" says what is called, with which states. */
#include <stdint.h>
#include <stdio.h>
#include "robot.h"
#include "states.h"

enum { TIMES = 20 };
static number out[RESULTS], work[WORK];
static volatile uint32_t *const systick = (volatile uint32_t *)0xE000E010;

static void __attribute__((noinline)) nothing(const number *x)
{
  __asm__ volatile("" : : "r"(x) : "memory");
}

static void __attribute__((noinline)) once(const number *x)
{
  CALL(x);
}

static double __attribute__((noinline)) ticks(void (*volatile function)(const number *))
{
  double sum = 0;
  for (int time = 0; time < TIMES; ++time) {
    const uint32_t from = systick[2];
    for (int k = 0; k < STATES; ++k) {
      function(states + k * STRIDE);
    }
    sum += (from - systick[2]) & 0xFFFFFF;
  }
  return sum;
}

int main(void)
{
  systick[1] = 0xFFFFFF;
  systick[2] = 0;
  systick[0] = 5;
  const double empty = ticks(nothing), spent = ticks(once);
  FILE *file = fopen("count.txt", "w");
  fprintf(file, "%.3f\n", 40 * (spent - empty) / (TIMES * STATES));
  fclose(file);
  return 0;
}
