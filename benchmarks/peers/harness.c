/* Times one subject: median nanoseconds of thread CPU time per call, over random states.

   usage: program <states> <results> <nq> <nv> <outputs> <batches> <calls per batch> [argument of the subject ...]

   <states> holds rows of q, v, u as doubles (u: accelerations or forces); <results> receives the <outputs> doubles that
   the subject makes of each of them, so that every timed subject is also checked. Batches go round the states, so that
   no branch or table can learn a single one; results go to one place, as in a control loop. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int prepare(int count, char **arguments);

/* What is timed; it may leave its results where it likes. */
void subject(const double *q, const double *v, const double *u, double *out);

/* Brings the results of the last call to `out`, where `subject` has left them elsewhere. */
void collect(double *out);

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
    if (argc < 8) {
        fprintf(stderr, "usage: %s states results nq nv outputs batches calls [argument ...]\n", argv[0]);
        return 2;
    }
    size_t nq = (size_t)atol(argv[3]), nv = (size_t)atol(argv[4]), row = nq + 2 * nv;
    size_t outputs = (size_t)atol(argv[5]), batches = (size_t)atol(argv[6]), calls = (size_t)atol(argv[7]);
    if (prepare(argc - 8, argv + 8)) return 1;

    FILE *file = fopen(argv[1], "rb");
    if (!file) return perror(argv[1]), 1;
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file) / sizeof(double) / row;
    rewind(file);
    double *states = malloc(count * row * sizeof(double));
    double *out = malloc((outputs + 8) * sizeof(double));
    double *times = malloc(batches * sizeof(double));
    if (!states || !out || !times || fread(states, sizeof(double), count * row, file) != count * row) return 1;
    fclose(file);

    for (size_t batch = 0; batch < batches + 3; ++batch) { /* the first three warm up */
        double start = now();
        for (size_t call = 0, i = 0; call < calls; ++call, i = i + 1 == count ? 0 : i + 1) {
            const double *q = states + i * row;
            subject(q, q + nq, q + nq + nv, out);
        }
        if (batch >= 3) times[batch - 3] = (now() - start) / (double)calls;
    }
    qsort(times, batches, sizeof(double), ascending);
    printf("%.2f\n", times[batches / 2]);

    file = fopen(argv[2], "wb");
    if (!file) return perror(argv[2]), 1;
    for (size_t i = 0; i < count; ++i) {
        const double *q = states + i * row;
        subject(q, q + nq, q + nq + nv, out);
        collect(out);
        if (fwrite(out, sizeof(double), outputs, file) != outputs) return 1;
    }
    if (fclose(file)) return 1;
    free(states);
    free(out);
    free(times);
    return 0;
}
