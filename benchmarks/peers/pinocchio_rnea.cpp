// Pinocchio's rnea as a subject of harness.c. The model comes as text, one joint per line (see robots.py):
//   parent  kind  axis(3)  rotation(9)  translation(3)  mass  lever(3)  inertia(9)
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/rnea.hpp>

namespace {
std::unique_ptr<pinocchio::Model> model;
std::unique_ptr<pinocchio::Data> data;

pinocchio::JointModel joint_model(const std::string &kind, const Eigen::Vector3d &axis) {
    if (kind == "free") return pinocchio::JointModelFreeFlyer();
    const bool turns = kind == "revolute";
    if (axis == Eigen::Vector3d::UnitX()) return turns ? pinocchio::JointModel(pinocchio::JointModelRX()) : pinocchio::JointModelPX();
    if (axis == Eigen::Vector3d::UnitY()) return turns ? pinocchio::JointModel(pinocchio::JointModelRY()) : pinocchio::JointModelPY();
    if (axis == Eigen::Vector3d::UnitZ()) return turns ? pinocchio::JointModel(pinocchio::JointModelRZ()) : pinocchio::JointModelPZ();
    if (turns) return pinocchio::JointModelRevoluteUnaligned(axis);
    return pinocchio::JointModelPrismaticUnaligned(axis);
}

template <class Matrix> void read(std::istream &in, Matrix &m) {
    for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c) in >> m(r, c);
}
}  // namespace

extern "C" int prepare(const char *path) {
    std::ifstream in(path);
    model = std::make_unique<pinocchio::Model>();
    Eigen::Vector3d gravity;
    read(in, gravity);
    model->gravity.linear(gravity);
    std::size_t parent;
    std::string kind;
    for (int index = 0; in >> parent >> kind; ++index) {
        Eigen::Vector3d axis, translation, lever;
        Eigen::Matrix3d rotation, inertia;
        double mass;
        read(in, axis), read(in, rotation), read(in, translation);
        in >> mass;
        read(in, lever), read(in, inertia);
        const auto id = model->addJoint(parent, joint_model(kind, axis), pinocchio::SE3(rotation, translation),
                                        "joint" + std::to_string(index));
        model->appendBodyToJoint(id, pinocchio::Inertia(mass, lever, inertia), pinocchio::SE3::Identity());
    }
    if (model->njoints < 2) return 1;
    data = std::make_unique<pinocchio::Data>(*model);
    return 0;
}

extern "C" void subject(const double *q, const double *v, const double *a, double *tau) {
    using Vector = Eigen::Map<const Eigen::VectorXd>;
    pinocchio::rnea(*model, *data, Vector(q, model->nq), Vector(v, model->nv), Vector(a, model->nv));
    std::memcpy(tau, data->tau.data(), sizeof(double) * static_cast<std::size_t>(model->nv));
}
