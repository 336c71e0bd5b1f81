// A Pinocchio model from text (see model_text in robots.py): gravity(3) and the number of joints, then one line for each
//   parent  kind  axis(3)  rotation(9)  translation(3)  mass  lever(3)  inertia(9)
// and one for each frame
//   joint  rotation(9)  translation(3)
#pragma once
#include <fstream>
#include <string>

#include <pinocchio/multibody.hpp>

inline pinocchio::JointModel joint_model(const std::string &kind, const Eigen::Vector3d &axis) {
    using namespace pinocchio;
    if (kind == "free") return JointModelFreeFlyer();
    const bool turns = kind == "revolute";
    if (axis == Eigen::Vector3d::UnitX()) return turns ? JointModel(JointModelRX()) : JointModelPX();
    if (axis == Eigen::Vector3d::UnitY()) return turns ? JointModel(JointModelRY()) : JointModelPY();
    if (axis == Eigen::Vector3d::UnitZ()) return turns ? JointModel(JointModelRZ()) : JointModelPZ();
    if (turns) return JointModelRevoluteUnaligned(axis);
    return JointModelPrismaticUnaligned(axis);
}

template <class Matrix> void read(std::istream &in, Matrix &m) {
    for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c) in >> m(r, c);
}

/* A model without joints where the file cannot be read. Frames come after Pinocchio's own `universe`. */
inline pinocchio::Model read_model(const char *path) {
    std::ifstream in(path);
    pinocchio::Model model;
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
        const auto id = model.addJoint(parent, joint_model(kind, axis), pinocchio::SE3(rotation, translation),
                                       "joint" + std::to_string(index));
        model.appendBodyToJoint(id, pinocchio::Inertia(mass, lever, inertia), pinocchio::SE3::Identity());
    }
    while (in >> parent) {
        read(in, rotation), read(in, translation);
        model.addFrame(pinocchio::Frame("frame" + std::to_string(model.nframes), parent, pinocchio::SE3(rotation, translation), pinocchio::OP_FRAME));
    }
    return model;
}
