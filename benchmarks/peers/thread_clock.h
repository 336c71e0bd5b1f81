/* Processor time of this thread [us], for programs of benchmarks; _POSIX_C_SOURCE is defined before all headers. */
#include <time.h>

static double now(void)
{
  struct timespec spent;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return 1e6 * (double)spent.tv_sec + 1e-3 * (double)spent.tv_nsec;
}
