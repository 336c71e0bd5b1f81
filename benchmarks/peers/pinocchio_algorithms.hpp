// Pinocchio's algorithms by the names of symdyn's functions, over any scalar: how to run one, and where its results lie.
#pragma once
#include <map>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

template <class Scalar> struct Algorithm {
    using Model = pinocchio::ModelTpl<Scalar>;
    struct Data : pinocchio::DataTpl<Scalar> {
        std::vector<typename pinocchio::DataTpl<Scalar>::Matrix6x> jacobians; /* of every frame */
        explicit Data(const Model &m) : pinocchio::DataTpl<Scalar>(m) {
            for (int frame = 1; frame < m.nframes; ++frame) jacobians.emplace_back(Data::Matrix6x::Zero(6, m.nv));
        }
    };
    using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    using Input = Eigen::Map<const Vector>;

    int inputs; /* 1: q; 2: q, v; 3: q, v, u */
    void (*run)(const Model &, Data &, const Input &q, const Input &v, const Input &u);
    void (*results)(const Data &, Scalar *out); /* row-major, one after the other */
};

/* Row-major; a symmetric matrix is copied from its upper triangle, which is all that some algorithms fill. */
template <class Matrix, class Scalar> Scalar *write(const Matrix &m, Scalar *out, bool symmetric = false) {
    for (Eigen::Index r = 0; r < m.rows(); ++r)
        for (Eigen::Index c = 0; c < m.cols(); ++c) *out++ = symmetric && c < r ? m(c, r) : m(r, c);
    return out;
}

template <class Scalar> std::map<std::string, Algorithm<Scalar>> algorithms() {
    using A = Algorithm<Scalar>;
    using Model = typename A::Model;
    using Data = typename A::Data;
    using Input = typename A::Input;
    return {
        {"inverse_dynamics",
         {3, [](const Model &m, Data &d, const Input &q, const Input &v, const Input &a) { pinocchio::rnea(m, d, q, v, a); },
          [](const Data &d, Scalar *out) { write(d.tau, out); }}},
        {"forward_dynamics",
         {3, [](const Model &m, Data &d, const Input &q, const Input &v, const Input &tau) { pinocchio::aba(m, d, q, v, tau); },
          [](const Data &d, Scalar *out) { write(d.ddq, out); }}},
        {"mass_matrix",
         {1, [](const Model &m, Data &d, const Input &q, const Input &, const Input &) { pinocchio::crba(m, d, q); },
          [](const Data &d, Scalar *out) { write(d.M, out, true); }}},
        {"mass_matrix_inverse",
         {1, [](const Model &m, Data &d, const Input &q, const Input &, const Input &) { pinocchio::computeMinverse(m, d, q); },
          [](const Data &d, Scalar *out) { write(d.Minv, out, true); }}},
        {"coriolis_matrix",
         {2, [](const Model &m, Data &d, const Input &q, const Input &v, const Input &) { pinocchio::computeCoriolisMatrix(m, d, q, v); },
          [](const Data &d, Scalar *out) { write(d.C, out); }}},
        {"jacobians",
         {1, [](const Model &m, Data &d, const Input &q, const Input &, const Input &) {
              pinocchio::computeJointJacobians(m, d, q);
              for (pinocchio::FrameIndex frame = 1; frame < static_cast<pinocchio::FrameIndex>(m.nframes); ++frame)
                  pinocchio::getFrameJacobian(m, d, frame, pinocchio::LOCAL_WORLD_ALIGNED, d.jacobians[frame - 1]);
          },
          [](const Data &d, Scalar *out) { for (const auto &jacobian : d.jacobians) out = write(jacobian, out); }}},
        {"centroidal_momentum_matrix",
         {1, [](const Model &m, Data &d, const Input &q, const Input &, const Input &) { pinocchio::computeCentroidalMap(m, d, q); },
          [](const Data &d, Scalar *out) { write(d.Ag, out); }}},
        {"inverse_dynamics_partials",
         {3, [](const Model &m, Data &d, const Input &q, const Input &v, const Input &a) { pinocchio::computeRNEADerivatives(m, d, q, v, a); },
          [](const Data &d, Scalar *out) { write(d.M, write(d.dtau_dv, write(d.dtau_dq, out)), true); }}},
        {"forward_dynamics_partials",
         {3, [](const Model &m, Data &d, const Input &q, const Input &v, const Input &tau) { pinocchio::computeABADerivatives(m, d, q, v, tau); },
          [](const Data &d, Scalar *out) { write(d.Minv, write(d.ddq_dv, write(d.ddq_dq, out)), true); }}},
    };
}
