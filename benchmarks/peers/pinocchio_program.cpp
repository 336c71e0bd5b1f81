// Pinocchio's algorithms as subjects of harness.c; arguments: name of the function, model file.
#include <cstdio>
#include <memory>

#include "pinocchio_algorithms.hpp"
#include "pinocchio_model.hpp"

namespace {
pinocchio::Model model;
std::unique_ptr<Algorithm<double>::Data> data;
Algorithm<double> algorithm;
}  // namespace

extern "C" int prepare(int count, char **arguments) {
    if (count != 2) return 1;
    const auto known = algorithms<double>();
    const auto found = known.find(arguments[0]);
    model = read_model(arguments[1]);
    if (found == known.end() || model.njoints < 2) return std::fprintf(stderr, "no %s of %s\n", arguments[0], arguments[1]), 1;
    algorithm = found->second;
    data = std::make_unique<Algorithm<double>::Data>(model);
    return 0;
}

extern "C" void subject(const double *q, const double *v, const double *u, double *) {
    using Input = Algorithm<double>::Input;
    algorithm.run(model, *data, Input(q, model.nq), Input(v, model.nv), Input(u, model.nv));
}

extern "C" void collect(double *out) { algorithm.results(*data, out); }
