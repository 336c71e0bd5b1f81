// A Pinocchio model from text (see model_text in robots.py): gravity(3) and the number of joints, then one line for each
//   parent  kind  axis(3)  rotation(9)  translation(3)  mass  lever(3)  inertia(9)
// and one for each frame
//   joint  rotation(9)  translation(3)
#pragma once
#include <fstream>
#include <string>

#include <pinocchio/multibody.hpp>

/* A revolute joint of a collection, of the type that is fastest for its axis. */
template <class Joint, class Joints> Joint revolute(const Eigen::Vector3d &axis) {
    if (axis == Eigen::Vector3d::UnitX()) return typename Joints::JointModelRX();
    if (axis == Eigen::Vector3d::UnitY()) return typename Joints::JointModelRY();
    if (axis == Eigen::Vector3d::UnitZ()) return typename Joints::JointModelRZ();
    return typename Joints::JointModelRevoluteUnaligned(axis);
}

inline pinocchio::JointModel joint_model(const std::string &kind, const Eigen::Vector3d &axis) {
    using namespace pinocchio;
    if (kind == "free") return JointModelFreeFlyer();
    if (kind == "revolute") return revolute<JointModel, JointCollectionDefault>(axis);
    if (axis == Eigen::Vector3d::UnitX()) return JointModelPX();
    if (axis == Eigen::Vector3d::UnitY()) return JointModelPY();
    if (axis == Eigen::Vector3d::UnitZ()) return JointModelPZ();
    return JointModelPrismaticUnaligned(axis);
}

template <class Matrix> void read(std::istream &in, Matrix &m) {
    for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c) in >> m(r, c);
}

/* A model without joints where the file cannot be read. Frames come after Pinocchio's own `universe`.
   `joint_of` makes a joint from its kind and axis. */
template <class Model = pinocchio::Model, class JointOf = decltype(&joint_model)>
Model read_model(const char *path, JointOf joint_of = &joint_model) {
    std::ifstream in(path);
    Model model;
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
        const auto id = model.addJoint(parent, joint_of(kind, axis), pinocchio::SE3(rotation, translation),
                                       "joint" + std::to_string(index));
        model.appendBodyToJoint(id, pinocchio::Inertia(mass, lever, inertia), pinocchio::SE3::Identity());
    }
    while (in >> parent) {
        read(in, rotation), read(in, translation);
        model.addFrame(pinocchio::Frame("frame" + std::to_string(model.nframes), parent, pinocchio::SE3(rotation, translation), pinocchio::OP_FRAME));
    }
    return model;
}
