// Pinocchio's second-order derivatives of RNEA as a subject of harness.c; argument: the model file.
// A collection of revolute joints alone compiles in a minute; that of all joints takes forty.
#define BOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT /* Pinocchio asks whether a joint is a mimic one, which none here is. */
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>

#include "pinocchio_model.hpp"

namespace {
template <typename S, int O> struct Revolute {
    typedef S Scalar;
    static constexpr int Options = O;
    typedef pinocchio::JointModelRevoluteTpl<S, O, 0> JointModelRX;
    typedef pinocchio::JointModelRevoluteTpl<S, O, 1> JointModelRY;
    typedef pinocchio::JointModelRevoluteTpl<S, O, 2> JointModelRZ;
    typedef pinocchio::JointModelRevoluteUnalignedTpl<S, O> JointModelRevoluteUnaligned;
    typedef pinocchio::JointDataRevoluteTpl<S, O, 0> JointDataRX;
    typedef pinocchio::JointDataRevoluteTpl<S, O, 1> JointDataRY;
    typedef pinocchio::JointDataRevoluteTpl<S, O, 2> JointDataRZ;
    typedef pinocchio::JointDataRevoluteUnalignedTpl<S, O> JointDataRevoluteUnaligned;
    typedef boost::variant<JointModelRX, JointModelRY, JointModelRZ, JointModelRevoluteUnaligned> JointModelVariant;
    typedef boost::variant<JointDataRX, JointDataRY, JointDataRZ, JointDataRevoluteUnaligned> JointDataVariant;
};
typedef pinocchio::ModelTpl<double, 0, Revolute> Model;
typedef pinocchio::DataTpl<double, 0, Revolute> Data;
typedef Eigen::Map<const Eigen::VectorXd> Input;

Model model;
std::unique_ptr<Data> data;

/* False where a joint is not revolute, or the file cannot be read. */
bool read_revolute_model(const char *path) {
    bool all_revolute = true;
    model = read_model<Model>(path, [&](const std::string &kind, const Eigen::Vector3d &axis) {
        all_revolute = all_revolute && kind == "revolute";
        return revolute<pinocchio::JointModelTpl<double, 0, Revolute>, Revolute<double, 0>>(axis);
    });
    return all_revolute && model.njoints > 1;
}
}  // namespace

extern "C" int prepare(int count, char **arguments) {
    if (count != 1 || !read_revolute_model(arguments[0])) return std::fprintf(stderr, "no model of revolute joints\n"), 1;
    data = std::make_unique<Data>(model);
    return 0;
}

/* Tensors that are added to begin at zero, as the header asks. */
extern "C" void subject(const double *q, const double *v, const double *a, double *) {
    data->d2tau_dqdq.setZero();
    data->d2tau_dvdv.setZero();
    data->d2tau_dqdv.setZero();
    data->d2tau_dadq.setZero();
    pinocchio::ComputeRNEASecondOrderDerivatives(model, *data, Input(q, model.nq), Input(v, model.nv), Input(a, model.nv));
}

/* (torque, column, page) by pages, then columns. */
extern "C" void collect(double *out) {
    for (const auto *tensor : {&data->d2tau_dqdq, &data->d2tau_dvdv, &data->d2tau_dqdv, &data->d2tau_dadq})
        out = std::copy(tensor->data(), tensor->data() + tensor->size(), out);
}
