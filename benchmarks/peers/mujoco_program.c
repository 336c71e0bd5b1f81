/* MuJoCo's C functions as subjects of harness.c; arguments: name of the function, MJCF file.

   Timed is what MuJoCo itself runs for the smooth dynamics of one state: poses, composite inertias in axes of the
   world, velocities and bias as far as each function needs them; no contacts, constraints, actuators or sensors. */
#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

static mjModel *model;
static mjData *data;
static mjtNum *identity, *inverse;
static void (*chosen)(const mjtNum *v, const mjtNum *u);

static void positions(void) {
    mj_kinematics(model, data);
    mj_comPos(model, data);
}

static void inverse_dynamics(const mjtNum *v, const mjtNum *a) {
    memcpy(data->qvel, v, sizeof(mjtNum) * (size_t)model->nv);
    memcpy(data->qacc, a, sizeof(mjtNum) * (size_t)model->nv);
    positions();
    mj_comVel(model, data);
    mj_rne(model, data, 1, data->qfrc_inverse);
}

static void forward_dynamics(const mjtNum *v, const mjtNum *tau) {
    memcpy(data->qvel, v, sizeof(mjtNum) * (size_t)model->nv);
    positions();
    mj_makeM(model, data);
    mj_factorM(model, data);
    mj_comVel(model, data);
    mj_rne(model, data, 0, data->qfrc_bias);
    mju_sub(data->qfrc_smooth, tau, data->qfrc_bias, (int)model->nv);
    mj_solveM(model, data, data->qacc_smooth, data->qfrc_smooth, 1);
}

static void mass_matrix(const mjtNum *v, const mjtNum *u) {
    (void)v;
    (void)u;
    positions();
    mj_makeM(model, data); /* sparse, as MuJoCo keeps it */
}

static void mass_matrix_inverse(const mjtNum *v, const mjtNum *u) {
    mass_matrix(v, u);
    mj_factorM(model, data);
    mj_solveM(model, data, inverse, identity, (int)model->nv);
}

int prepare(int count, char **arguments) {
    char message[1000] = "wrong arguments";
    const struct {
        const char *name;
        void (*run)(const mjtNum *, const mjtNum *);
    } known[] = {{"inverse_dynamics", inverse_dynamics},
                 {"forward_dynamics", forward_dynamics},
                 {"mass_matrix", mass_matrix},
                 {"mass_matrix_inverse", mass_matrix_inverse}};
    for (size_t i = 0; count == 2 && i < sizeof known / sizeof *known; ++i)
        if (!strcmp(known[i].name, arguments[0])) {
            chosen = known[i].run;
        }
    if (chosen) model = mj_loadXML(arguments[1], NULL, message, sizeof message);
    if (!model) return fprintf(stderr, "%s\n", message), 1;
    data = mj_makeData(model);
    identity = mju_malloc(sizeof(mjtNum) * (size_t)(model->nv * model->nv));
    inverse = mju_malloc(sizeof(mjtNum) * (size_t)(model->nv * model->nv));
    if (!data || !identity || !inverse) return 1;
    mju_eye(identity, (int)model->nv);
    return 0;
}

void subject(const double *q, const double *v, const double *u, double *out) {
    (void)out;
    memcpy(data->qpos, q, sizeof(mjtNum) * (size_t)model->nq);
    chosen(v, u);
}

void collect(double *out) {
    if (chosen == inverse_dynamics) memcpy(out, data->qfrc_inverse, sizeof(mjtNum) * (size_t)model->nv);
    if (chosen == forward_dynamics) memcpy(out, data->qacc_smooth, sizeof(mjtNum) * (size_t)model->nv);
    if (chosen == mass_matrix) mj_fullM(model, data, out);
    if (chosen == mass_matrix_inverse) memcpy(out, inverse, sizeof(mjtNum) * (size_t)(model->nv * model->nv));
}
