/* acados' solver "plan" behind the names that optimal_control.c calls: a shift and the preparation before the measurement, then
 * the feedback of one real-time iteration. */
#include <stdlib.h>
#include <string.h>
#include "acados_c/ocp_nlp_interface.h"
#include "acados_solver_plan.h"

enum { RIVAL_N = 7, RIVAL_STEPS = PLAN_N, RIVAL_STATES = 2 * RIVAL_N };
static plan_solver_capsule *rival;
static double rival_target[RIVAL_N];

static void rival_phase(int phase)
{
  ocp_nlp_solver_opts_set(plan_acados_get_nlp_config(rival), plan_acados_get_nlp_opts(rival), "rti_phase", &phase);
}

static void rival_set(int node, const char *field, double *value)
{
  ocp_nlp_out_set(plan_acados_get_nlp_config(rival), plan_acados_get_nlp_dims(rival), plan_acados_get_nlp_out(rival), node, field,
                  value);
}

static void rival_get(int node, const char *field, double *value)
{
  ocp_nlp_out_get(plan_acados_get_nlp_config(rival), plan_acados_get_nlp_dims(rival), plan_acados_get_nlp_out(rival), node, field,
                  value);
}

static void rival_start(const double *q, const double *v, const double *u, void *work)
{
  double x[RIVAL_STATES], own[RIVAL_N];
  (void)work;
  memcpy(x, q, RIVAL_N * sizeof *x);
  memcpy(x + RIVAL_N, v, RIVAL_N * sizeof *x);
  memcpy(own, u, sizeof own);
  rival = plan_acados_create_capsule();
  if (plan_acados_create(rival)) {
    exit(1);
  }
  for (int k = 0; k <= RIVAL_STEPS; ++k) {
    rival_set(k, "x", x);
    if (k < RIVAL_STEPS) {
      rival_set(k, "u", own);
    }
  }
}

static void rival_prepare(const double *y, void *work)
{
  double x[RIVAL_STATES], u[RIVAL_N];
  (void)work;
  if (memcmp(y, rival_target, sizeof rival_target)) {
    memcpy(rival_target, y, sizeof rival_target);
    for (int k = 0; k <= RIVAL_STEPS; ++k) {
      plan_acados_update_params(rival, k, rival_target, RIVAL_N);
    }
  }
  for (int k = 0; k < RIVAL_STEPS; ++k) {
    rival_get(k + 1, "x", x);
    rival_set(k, "x", x);
    if (k < RIVAL_STEPS - 1) {
      rival_get(k + 1, "u", u);
      rival_set(k, "u", u);
    }
  }
  const double h = HORIZON_STEP; /* the last state is a step of the last input */
  rival_get(RIVAL_STEPS - 1, "u", u);
  panda_step(x, x + RIVAL_N, u, &h, x, x + RIVAL_N, scratch);
  rival_set(RIVAL_STEPS, "x", x);
  rival_phase(1);
  plan_acados_solve(rival);
}

/* Iterations of HPIPM: the third column of a table of statistics, whose columns are stored one after another. */
static int rival_qp_iterations(void)
{
  double table[1024] = { 0 };
  int rows = 0, iterations = 0, count = 0;
  ocp_nlp_solver *solver = plan_acados_get_nlp_solver(rival);
  ocp_nlp_get(plan_acados_get_nlp_config(rival), solver, "stat_m", &rows);
  ocp_nlp_get(plan_acados_get_nlp_config(rival), solver, "sqp_iter", &iterations);
  rows = rows < iterations + 1 ? rows : iterations + 1;
  ocp_nlp_get(plan_acados_get_nlp_config(rival), solver, "statistics", table);
  for (int i = 0; i < rows; ++i) {
    count += (int)table[2 * rows + i];
  }
  return count;
}

static void rival_feedback(const double *q, const double *v, double *u, double *K, panda_mpc_report *report, void *work)
{
  double x[RIVAL_STATES];
  (void)K, (void)work;
  memcpy(x, q, RIVAL_N * sizeof *x);
  memcpy(x + RIVAL_N, v, RIVAL_N * sizeof *x);
  ocp_nlp_config *config = plan_acados_get_nlp_config(rival);
  ocp_nlp_dims *dims = plan_acados_get_nlp_dims(rival);
  ocp_nlp_in *in = plan_acados_get_nlp_in(rival);
  ocp_nlp_constraints_model_set(config, dims, in, 0, "lbx", x);
  ocp_nlp_constraints_model_set(config, dims, in, 0, "ubx", x);
  rival_phase(2);
  const int status = plan_acados_solve(rival);
  rival_get(0, "u", u);
  report->qp_iterations = rival_qp_iterations();
  report->code = status ? PANDA_MPC_QP_ITERATIONS : PANDA_MPC_DONE;
}
