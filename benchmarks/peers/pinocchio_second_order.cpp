// Pinocchio's second-order derivatives of RNEA as a subject of harness.c; argument: the model file.
// A collection of revolute joints alone compiles in a minute; that of all joints takes forty.
#define BOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT /* Pinocchio asks whether a joint is a mimic one, which none here is. */
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>

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
typedef Revolute<double, 0> Joints;
typedef Eigen::Map<const Eigen::VectorXd> Input;

Model model;
std::unique_ptr<Data> data;

pinocchio::JointModelTpl<double, 0, Revolute> joint_model(const Eigen::Vector3d &axis) {
    if (axis == Eigen::Vector3d::UnitX()) return Joints::JointModelRX();
    if (axis == Eigen::Vector3d::UnitY()) return Joints::JointModelRY();
    if (axis == Eigen::Vector3d::UnitZ()) return Joints::JointModelRZ();
    return Joints::JointModelRevoluteUnaligned(axis);
}

template <class Matrix> void read(std::istream &in, Matrix &m) {
    for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c) in >> m(r, c);
}

/* The format of pinocchio_model.hpp; false where a joint is not revolute. */
bool read_model(const char *path) {
    std::ifstream in(path);
    Eigen::Vector3d gravity, axis, translation, lever;
    Eigen::Matrix3d rotation, inertia;
    std::size_t parent;
    std::string kind;
    double mass;
    int joints = 0;
    read(in, gravity);
    in >> joints;
    model.gravity.linear(gravity);
    for (int index = 0; index < joints && in >> parent >> kind; ++index) {
        read(in, axis), read(in, rotation), read(in, translation);
        in >> mass;
        read(in, lever), read(in, inertia);
        if (kind != "revolute") return false;
        const auto id = model.addJoint(parent, joint_model(axis), pinocchio::SE3(rotation, translation),
                                       "joint" + std::to_string(index));
        model.appendBodyToJoint(id, pinocchio::Inertia(mass, lever, inertia), pinocchio::SE3::Identity());
    }
    return model.njoints > 1;
}
}  // namespace

extern "C" int prepare(int count, char **arguments) {
    if (count != 1 || !read_model(arguments[0])) return std::fprintf(stderr, "no model of revolute joints\n"), 1;
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
