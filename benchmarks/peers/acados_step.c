/* The compiled step of the arm as discrete dynamics of acados: x+ = step(x, u), and the transposes of its matrices B, A.
 * Written into acados' folder behind lines that include the generated header and define the length H of a step. */
#include "acados/utils/external_function_generic.h"
#include "blasfeo/include/blasfeo_d_aux.h"
#include "blasfeo/include/blasfeo_d_aux_ext_dep.h"

enum { JOINTS = 7, STATES = 2 * JOINTS };
static const double length = H;

static void unpack(void **in, double *x, double *u)
{
  const struct blasfeo_dvec_args *own[2] = { in[0], in[1] };
  blasfeo_unpack_dvec(STATES, own[0]->x, own[0]->xi, x, 1);
  blasfeo_unpack_dvec(JOINTS, own[1]->x, own[1]->xi, u, 1);
}

static void pack(double *x, void *out)
{
  struct blasfeo_dvec_args *own = out;
  blasfeo_pack_dvec(STATES, x, 1, own->x, own->xi);
}

int arm_step(void **in, void **out, void *params)
{
  double x[STATES], u[JOINTS], next[STATES], work[PANDA_STEP_WORK + 1];
  (void)params;
  unpack(in, x, u);
  panda_step(x, x + JOINTS, u, &length, next, next + JOINTS, work);
  pack(next, out[0]);
  return 0;
}

int arm_step_jacobian(void **in, void **out, void *params)
{
  double x[STATES], u[JOINTS], next[STATES], V[JOINTS * STATES], U[JOINTS * JOINTS], A[STATES * STATES], B[STATES * JOINTS];
  double work[PANDA_STEP_PARTIALS_WORK + 1];
  struct blasfeo_dmat_args *matrix = out[1];
  (void)params;
  unpack(in, x, u);
  panda_step_partials(x, x + JOINTS, u, &length, next, next + JOINTS, V, U, work);
  pack(next, out[0]);
  for (int i = 0; i < JOINTS; ++i) {
    for (int j = 0; j < STATES; ++j) {
      A[i * STATES + j] = (i == j) + length * V[i * STATES + j];
      A[(JOINTS + i) * STATES + j] = V[i * STATES + j];
    }
    for (int j = 0; j < JOINTS; ++j) {
      B[i * JOINTS + j] = length * U[i * JOINTS + j];
      B[(JOINTS + i) * JOINTS + j] = U[i * JOINTS + j];
    }
  }
  /* Rows of A and B are columns of their transposes. */
  blasfeo_pack_dmat(JOINTS, STATES, B, JOINTS, matrix->A, matrix->ai, matrix->aj);
  blasfeo_pack_dmat(STATES, STATES, A, STATES, matrix->A, matrix->ai + JOINTS, matrix->aj);
  return 0;
}
