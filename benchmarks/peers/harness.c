/* Times one subject: median nanoseconds of thread CPU time per call, over random states.

   usage: program <states> <results> <nq> <nv> <batches> <calls per batch> [argument of the subject]

   <states> holds rows of q, v, a as doubles; <results> receives the subject's tau for each of them, so that every
   timed subject is also checked. Batches go round the states, so that no branch or table can learn a single one. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int prepare(const char *argument);
void subject(const double *q, const double *v, const double *a, double *tau);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc < 7) {
        fprintf(stderr, "usage: %s states results nq nv batches calls [argument]\n", argv[0]);
        return 2;
    }
    size_t nq = (size_t)atol(argv[3]), nv = (size_t)atol(argv[4]), row = nq + 2 * nv;
    size_t batches = (size_t)atol(argv[5]), calls = (size_t)atol(argv[6]);
    if (prepare(argc > 7 ? argv[7] : "")) return 1;

    FILE *file = fopen(argv[1], "rb");
    if (!file) return perror(argv[1]), 1;
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file) / sizeof(double) / row;
    rewind(file);
    double *states = malloc(count * row * sizeof(double));
    double *tau = malloc((count * nv + 8) * sizeof(double));
    double *times = malloc(batches * sizeof(double));
    if (!states || !tau || !times || fread(states, sizeof(double), count * row, file) != count * row) return 1;
    fclose(file);

    for (size_t batch = 0; batch < batches + 3; ++batch) { /* the first three warm up */
        double start = now();
        for (size_t call = 0, i = 0; call < calls; ++call, i = i + 1 == count ? 0 : i + 1) {
            const double *q = states + i * row;
            subject(q, q + nq, q + nq + nv, tau + i * nv);
        }
        if (batch >= 3) times[batch - 3] = (now() - start) / (double)calls;
    }
    qsort(times, batches, sizeof(double), ascending);
    printf("%.2f\n", times[batches / 2]);

    for (size_t i = 0; i < count; ++i) {
        const double *q = states + i * row;
        subject(q, q + nq, q + nq + nv, tau + i * nv);
    }
    file = fopen(argv[2], "wb");
    if (!file || fwrite(tau, sizeof(double), count * nv, file) != count * nv || fclose(file)) return 1;
    free(states);
    free(tau);
    free(times);
    return 0;
}
