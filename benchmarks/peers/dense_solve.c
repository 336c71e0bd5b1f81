/* Forward dynamics by the dense way: the mass matrix and the bias, then a Cholesky factorisation and two substitutions.

   DENSE_N is the number of velocities; mass_matrix and bias are the generated functions, by way of two macros. The
   factorisation works on the lower triangle, row by row, so that all its inner loops run along rows. */
#include <math.h>

static double matrix[DENSE_N * DENSE_N], rest[DENSE_N];

void subject(const double *q, const double *v, const double *tau, double *out) {
    DENSE_MASS_MATRIX(q, matrix);
    DENSE_BIAS(q, v, rest);
    for (int i = 0; i < DENSE_N; ++i) {
        double *row = matrix + i * DENSE_N;
        for (int j = 0; j < i; ++j) {
            const double *other = matrix + j * DENSE_N;
            double sum = row[j];
            for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
            row[j] = sum * other[j]; /* the diagonal holds reciprocals */
        }
        double left = row[i];
        for (int k = 0; k < i; ++k) left -= row[k] * row[k];
        row[i] = 1.0 / sqrt(left);
        double sum = tau[i] - rest[i];
        for (int k = 0; k < i; ++k) sum -= row[k] * out[k];
        out[i] = sum * row[i];
    }
    for (int i = DENSE_N; i-- > 0;) {
        const double *row = matrix + i * DENSE_N;
        out[i] *= row[i];
        for (int k = 0; k < i; ++k) out[k] -= row[k] * out[i];
    }
}
