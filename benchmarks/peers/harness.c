/* Times one subject by the calls of timing.c: nanoseconds of thread CPU time per call, a line for each batch.

   usage: program <states> <results> <nq> <nv> <outputs> <batches> <calls per batch> [argument of the subject ...]

   <states> holds rows of q, v, u as doubles (u: accelerations or forces); <results> receives the <outputs> doubles that
   the subject makes of each of them, so that every timed subject is also checked. Results go to one place, as in a
   control loop. */
#include <stdio.h>
#include <stdlib.h>

int prepare(int count, char **arguments);

/* What is timed; it may leave its results where it likes. */
void subject(const double *q, const double *v, const double *u, double *out);

/* Brings the results of the last call to `out`, where `subject` has left them elsewhere. */
void collect(double *out);

/* Batches go round the states. */
double symdyn_time_calls(size_t calls, size_t states, const double *in, double *out, double *work);

size_t subject_nq, subject_nv; /* for timing.c */

int main(int argc, char **argv) {
    if (argc < 8) {
        fprintf(stderr, "usage: %s states results nq nv outputs batches calls [argument ...]\n", argv[0]);
        return 2;
    }
    size_t nq = (size_t)atol(argv[3]), nv = (size_t)atol(argv[4]), row = nq + 2 * nv;
    size_t outputs = (size_t)atol(argv[5]), batches = (size_t)atol(argv[6]), calls = (size_t)atol(argv[7]);
    subject_nq = nq;
    subject_nv = nv;
    if (prepare(argc - 8, argv + 8)) return 1;

    FILE *file = fopen(argv[1], "rb");
    if (!file) return perror(argv[1]), 1;
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file) / sizeof(double) / row;
    rewind(file);
    double *states = malloc(count * row * sizeof(double));
    double *out = malloc((outputs + 8) * sizeof(double));
    if (!states || !out || fread(states, sizeof(double), count * row, file) != count * row) return 1;
    fclose(file);

    for (size_t batch = 0; batch < batches + 3; ++batch) { /* the first three warm up */
        double time = symdyn_time_calls(calls, count, states, out, NULL);
        if (batch >= 3) printf("%.3f\n", time);
    }

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
    return 0;
}
