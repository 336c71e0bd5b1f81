// Pinocchio's constrained dynamics as a subject of harness.c; arguments: name of the function, model file, number of feet,
// and for lcaba its iterations. The last frames of the model file are points that are held to the world, in its axes.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>

#include "pinocchio_model.hpp"

namespace {
using Input = Eigen::Map<const Eigen::VectorXd>;
pinocchio::Model model;
std::unique_ptr<pinocchio::Data> data;
PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pinocchio::RigidConstraintModel) held;
PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pinocchio::RigidConstraintData) held_data;
pinocchio::ProximalSettings settings;
bool partials;
int sweeps; /* iterations of lcaba; 0 for the algorithm that factors M and the rows of the loops together */

template <class Matrix> double *write(const Matrix &m, double *out) {
    for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c) *out++ = m(r, c);
    return out;
}
}  // namespace

extern "C" int prepare(int count, char **arguments) {
    if (count != 3 && count != 4) return 1;
    sweeps = count == 4 ? std::atoi(arguments[3]) : 0;
    partials = std::string(arguments[0]) == "constrained_forward_dynamics_partials";
    model = read_model(arguments[1]);
    const int feet = std::atoi(arguments[2]);
    if (model.njoints < 2 || feet >= model.nframes) return std::fprintf(stderr, "no %d feet of %s\n", feet, arguments[1]), 1;
    data = std::make_unique<pinocchio::Data>(model);
    for (int frame = model.nframes - feet; frame < model.nframes; ++frame) {
        const auto &own = model.frames[frame];
        held.emplace_back(pinocchio::CONTACT_3D, model, own.parentJoint, own.placement, pinocchio::LOCAL_WORLD_ALIGNED);
        held_data.emplace_back(held.back());
    }
    if (sweeps) {
        settings.mu = 1e-6;
        settings.max_iter = sweeps;
        pinocchio::computeJointMinimalOrdering(model, *data, held);
    } else {
        pinocchio::initConstraintDynamics(model, *data, held, held_data);
    }
    return 0;
}

extern "C" void subject(const double *q, const double *v, const double *u, double *) {
    const Input positions(q, model.nq), velocities(v, model.nv), forces(u, model.nv);
    if (sweeps) {
        pinocchio::lcaba(model, *data, positions, velocities, forces, held, held_data, settings);
        return;
    }
    pinocchio::constraintDynamics(model, *data, positions, velocities, forces, held, held_data, settings);
    if (partials) pinocchio::computeConstraintDynamicsDerivatives(model, *data, held, held_data, settings);
}

extern "C" void collect(double *out) {
    if (sweeps) {
        write(data->ddq, out);
        return;
    }
    if (!partials) {
        write(data->lambda_c, write(data->ddq, out));
        return;
    }
    out = write(data->ddq_dtau, write(data->ddq_dv, write(data->ddq_dq, out)));
    write(data->dlambda_dtau, write(data->dlambda_dv, write(data->dlambda_dq, out)));
}
