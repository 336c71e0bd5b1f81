/* Counts the machine instructions of one call, and the 64-byte lines of code that it runs through, step by step.
 *
 * usage: count_instructions LIBRARY OUTPUTS WORK INPUTS < inputs; for symdyn_time_calls of a timing harness. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

typedef double timed(size_t, size_t, const double *, double *, double *);

enum { PLACES = 1 << 22 };
static unsigned char seen[PLACES];
static long lines;

static long count(timed *function, size_t calls, const double *in, double *out, double *work)
{
  long instructions = 0;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    function(1, 1, in, out, work); /* binds names */
    raise(SIGSTOP);
    function(calls, 1, in, out, work);
    raise(SIGSTOP);
    _exit(0);
  }
  memset(seen, 0, sizeof seen);
  lines = 0;
  waitpid(child, &status, 0);
  for (;;) {
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) {
      return -1;
    }
    if (WSTOPSIG(status) == SIGSTOP) {
      break;
    }
    const unsigned long at = (unsigned long)ptrace(PTRACE_PEEKUSER, child, offsetof(struct user_regs_struct, rip), NULL);
    const size_t place = at / 64 % PLACES;
    lines += !seen[place];
    seen[place] = 1;
    ++instructions;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return instructions;
}

int main(int given, char **arguments)
{
  void *library = given == 5 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  timed *function = NULL;
  if (library == NULL) {
    return 2;
  }
  *(void **)&function = dlsym(library, "symdyn_time_calls");
  const size_t inputs = (size_t)atol(arguments[4]);
  double *in = calloc(inputs + 8, sizeof *in), *out = calloc((size_t)atol(arguments[2]) + 8, sizeof *out);
  double *work = calloc((size_t)atol(arguments[3]) + 8, sizeof *work);
  if (function == NULL || in == NULL || out == NULL || work == NULL || fread(in, sizeof *in, inputs, stdin) != inputs) {
    return 2;
  }
  const long once = count(function, 1, in, out, work), twice = count(function, 2, in, out, work);
  if (once < 0 || twice < 0) {
    return 3;
  }
  printf("%ld %ld\n", twice - once, lines);
  return 0;
}
