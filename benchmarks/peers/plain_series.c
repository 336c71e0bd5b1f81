/* The yardstick: inverse dynamics of a free base with turning joints and its time derivatives, written by hand.

   One loop over bodies, recursive Newton-Euler in body frames over truncated Taylor series, the model in tables. Nothing
   is generated or baked in, so a figure as a ratio to this one says more of another machine than nanoseconds do.

   Compiled with ORDER (the highest derivative) and a table of BODIES rows `struct body bodies[]`, the base first. */
#include <math.h>
#include <string.h>

#define TERMS (ORDER + 1)

struct body {
    int parent, axis;         /* axis 0, 1, 2: x, y, z of the body, about which its joint turns */
    double place[3];          /* of the body's origin in the parent's frame; at zero the frames are parallel */
    double m, h[3], inertia[6]; /* mass, first moment, xx xy xz yy yz zz about the body's origin */
};

#include "plain_series_model.h"

typedef double series[TERMS];
typedef series vector[3];

static void add_product(series out, const series x, const series y, double sign) {
    for (int k = 0; k < TERMS; ++k) {
        double sum = 0.0;
        for (int j = 0; j <= k; ++j) sum += x[j] * y[k - j];
        out[k] += sign * sum;
    }
}

static void add_cross(vector out, vector a, vector b) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        add_product(out[i], a[j], b[l], 1.0);
        add_product(out[i], a[l], b[j], -1.0);
    }
}

static void add_cross_fixed(vector out, vector a, const double *b, double sign) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        for (int k = 0; k < TERMS; ++k) out[i][k] += sign * (a[j][k] * b[l] - a[l][k] * b[j]);
    }
}

/* From the parent's axes to the body's (sign 1), or back (sign -1). */
static void add_turned(vector out, vector a, int axis, const series sine, const series cosine, double sign) {
    int j = (axis + 1) % 3, l = (axis + 2) % 3;
    for (int k = 0; k < TERMS; ++k) out[axis][k] += a[axis][k];
    add_product(out[j], cosine, a[j], 1.0);
    add_product(out[j], sine, a[l], sign);
    add_product(out[l], cosine, a[l], 1.0);
    add_product(out[l], sine, a[j], -sign);
}

static void add_inertia(vector out, const double *I, vector a) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < TERMS; ++k) out[i][k] += I[at[i][j]] * a[j][k];
}

/* q: position, quaternion x y z w, angles; V (ORDER + 2, 6 + joints): v and its derivatives, the base's in its own axes;
   tau (ORDER + 1, 6 + joints): forces and their derivatives. */
void plain_series(const double *q, const double *V, double *tau, double *work) {
    enum { NV = BODIES + 5 };
    vector omega[BODIES], alpha[BODIES], acceleration[BODIES], force[BODIES], moment[BODIES];
    series sine[BODIES], cosine[BODIES];
    double over_factorial[TERMS + 1];
    (void)work;
    over_factorial[0] = 1.0;
    for (int k = 1; k <= TERMS; ++k) over_factorial[k] = over_factorial[k - 1] / k;
    memset(force, 0, sizeof force);
    memset(moment, 0, sizeof moment);
    memset(omega, 0, sizeof omega);
    memset(alpha, 0, sizeof alpha);
    memset(acceleration, 0, sizeof acceleration);

    /* the base: its acceleration less gravity, which turns against it: g' = -omega x g in its axes */
    vector velocity, gravity;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < TERMS; ++k) {
            velocity[i][k] = V[k * NV + i] * over_factorial[k];
            omega[0][i][k] = V[k * NV + 3 + i] * over_factorial[k];
            alpha[0][i][k] = V[(k + 1) * NV + 3 + i] * over_factorial[k];
            acceleration[0][i][k] = V[(k + 1) * NV + i] * over_factorial[k];
        }
    double x = q[3], y = q[4], z = q[5], w = q[6];
    gravity[0][0] = -GRAVITY * 2 * (x * z - y * w);
    gravity[1][0] = -GRAVITY * 2 * (y * z + x * w);
    gravity[2][0] = -GRAVITY * (1 - 2 * (x * x + y * y));
    for (int k = 0; k < ORDER; ++k)
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            double sum = 0.0;
            for (int n = 0; n <= k; ++n)
                sum += omega[0][j][n] * gravity[l][k - n] - omega[0][l][n] * gravity[j][k - n];
            gravity[i][k + 1] = -sum / (k + 1);
        }
    add_cross(acceleration[0], omega[0], velocity);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < TERMS; ++k) acceleration[0][i][k] -= gravity[i][k];

    for (int b = 0; b < BODIES; ++b) {
        const struct body *body = &bodies[b];
        if (b > 0) {
            int p = body->parent, axis = body->axis, j = (axis + 1) % 3, l = (axis + 2) % 3, row = 5 + b;
            series rate, spin;
            for (int k = 0; k < TERMS; ++k) {
                rate[k] = V[k * NV + row] * over_factorial[k];
                spin[k] = V[(k + 1) * NV + row] * over_factorial[k];
            }
            sine[b][0] = sin(q[6 + b]);
            cosine[b][0] = cos(q[6 + b]);
            for (int k = 0; k < ORDER; ++k) {
                double up = 0.0, down = 0.0;
                for (int n = 0; n <= k; ++n) up += cosine[b][n] * rate[k - n], down += sine[b][n] * rate[k - n];
                sine[b][k + 1] = up / (k + 1);
                cosine[b][k + 1] = -down / (k + 1);
            }
            vector at_joint, swing;
            memcpy(at_joint, acceleration[p], sizeof at_joint);
            add_cross_fixed(at_joint, alpha[p], body->place, 1.0);
            memset(swing, 0, sizeof swing);
            add_cross_fixed(swing, omega[p], body->place, 1.0);
            add_cross(at_joint, omega[p], swing);
            add_turned(acceleration[b], at_joint, axis, sine[b], cosine[b], 1.0);
            add_turned(omega[b], omega[p], axis, sine[b], cosine[b], 1.0);
            add_turned(alpha[b], alpha[p], axis, sine[b], cosine[b], 1.0);
            add_product(alpha[b][j], omega[b][l], rate, 1.0); /* omega x axis rate; the own rate drops out */
            add_product(alpha[b][l], omega[b][j], rate, -1.0);
            for (int k = 0; k < TERMS; ++k) omega[b][axis][k] += rate[k], alpha[b][axis][k] += spin[k];
        }
        vector swing, momentum;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < TERMS; ++k) force[b][i][k] = body->m * acceleration[b][i][k];
        add_cross_fixed(force[b], alpha[b], body->h, 1.0);
        memset(swing, 0, sizeof swing);
        add_cross_fixed(swing, omega[b], body->h, 1.0);
        add_cross(force[b], omega[b], swing);
        add_inertia(moment[b], body->inertia, alpha[b]);
        memset(momentum, 0, sizeof momentum);
        add_inertia(momentum, body->inertia, omega[b]);
        add_cross(moment[b], omega[b], momentum);
        add_cross_fixed(moment[b], acceleration[b], body->h, -1.0);
    }
    for (int b = BODIES - 1; b >= 0; --b) {
        double factorial = 1.0;
        for (int k = 0; k < TERMS; ++k) {
            if (k > 1) factorial *= k;
            if (b > 0) tau[k * NV + 5 + b] = factorial * moment[b][bodies[b].axis][k];
            for (int i = 0; b == 0 && i < 3; ++i) {
                tau[k * NV + i] = factorial * force[0][i][k];
                tau[k * NV + 3 + i] = factorial * moment[0][i][k];
            }
        }
        if (b == 0) break;
        int p = bodies[b].parent;
        vector carried;
        memset(carried, 0, sizeof carried);
        add_turned(carried, force[b], bodies[b].axis, sine[b], cosine[b], -1.0);
        add_turned(moment[p], moment[b], bodies[b].axis, sine[b], cosine[b], -1.0);
        add_cross_fixed(moment[p], carried, bodies[b].place, -1.0);
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < TERMS; ++k) force[p][i][k] += carried[i][k];
    }
}
