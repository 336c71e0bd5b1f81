/* The reaching task of optimal_control.py by aligator's ProxDDP. Arguments: a URDF, the frame, and a file of numbers:
 * bounded or not, positions at the start, limits of torques, then positions of the arm at goals, the first three times.
 * Prints per goal whether it was reached, iterations, the cost and microseconds of the thread.
 *
 * From the wheels libaligator 0.19.1, libpinocchio 4.1.0 and cmeel_urdfdom_headers, below P = cmeel.prefix, and Eigen:
 *     g++ -std=c++17 -O2 -w -DNDEBUG -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_MPL_LIMIT_LIST_SIZE=40
 *         -DBOOST_MPL_LIMIT_VECTOR_SIZE=40 -DALIGATOR_ENABLE_TEMPLATE_INSTANTIATION -DALIGATOR_WITH_PINOCCHIO
 *         -DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION -DPINOCCHIO_WITH_URDFDOM -I$P/include
 *         -I$P/include/pinocchio/deprecated -I$P/include/urdfdom_headers -I/usr/include/eigen3 aligator_reach.cpp
 *         -L$P/lib -Wl,-rpath,$P/lib -laligator -lpinocchio_default -lpinocchio_parsers -lfmt -lmimalloc
 * Compiled with -march=haswell it ends with a segmentation fault, probably because Eigen then aligns arrays otherwise
 * than in the libraries. */
#include <aligator/core/traj-opt-problem.hpp>
#include <aligator/modelling/constraints/box-constraint.hpp>
#include <aligator/modelling/costs/quad-state-cost.hpp>
#include <aligator/modelling/costs/sum-of-costs.hpp>
#include <aligator/modelling/dynamics/integrator-semi-euler.hpp>
#include <aligator/modelling/dynamics/multibody-free-fwd.hpp>
#include <aligator/modelling/multibody/frame-placement.hpp>
#include <aligator/solvers/proxddp/solver-proxddp.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/model.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "thread_clock.h"

using namespace aligator;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Space = MultibodyPhaseSpace<double>;

static const int N = 50;
static const double H = 0.02;
static const double TOLERANCE = 1e-5, FIRST_MU = 1e-4;

static CostStackTpl<double> cost(const Space &space, const pinocchio::SE3 &goal, pinocchio::FrameIndex frame,
                                 const VectorXd &rest, const VectorXd &gravity, double pose, double q, double v, double u)
{
    const int nv = space.getModel().nv;
    VectorXd weights(2 * nv);
    weights << VectorXd::Constant(nv, q), VectorXd::Constant(nv, v);
    CostStackTpl<double> made(space, nv);
    FramePlacementResidualTpl<double> reach(2 * nv, nv, space.getModel(), goal, frame);
    made.addCost(QuadraticResidualCostTpl<double>(space, reach, pose * MatrixXd::Identity(6, 6)));
    made.addCost(QuadraticStateCostTpl<double>(space, nv, rest, MatrixXd(weights.asDiagonal())));
    if (u > 0)
        made.addCost(QuadraticControlCostTpl<double>(space, gravity, u * MatrixXd::Identity(nv, nv)));
    return made;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    pinocchio::Model whole;
    pinocchio::urdf::buildModel(argv[1], whole);
    std::vector<pinocchio::JointIndex> fingers;
    for (pinocchio::JointIndex joint = 1; joint < pinocchio::JointIndex(whole.njoints); ++joint)
        if (whole.names[joint].find("finger") != std::string::npos)
            fingers.push_back(joint);
    const pinocchio::Model model = pinocchio::buildReducedModel(whole, fingers, pinocchio::neutral(whole));
    pinocchio::Data data(model);
    const pinocchio::FrameIndex frame = model.getFrameId(argv[2]);
    const int nv = model.nv;
    std::ifstream numbers(argv[3]);
    bool bounded;
    VectorXd start(nv), most(nv), q(nv), rest = VectorXd::Zero(2 * nv);
    numbers >> bounded;
    for (VectorXd *row : {&start, &most})
        for (double &own : *row)
            numbers >> own;
    rest.head(nv) = start;
    const VectorXd gravity = pinocchio::computeGeneralizedGravity(model, data, start);
    const Space space(model);
    const dynamics::MultibodyFreeFwdDynamicsTpl<double> rates(space);
    const dynamics::IntegratorSemiImplEulerTpl<double> step(rates, H);
    for (int number = 0;; ++number) {
        for (double &own : q)
            numbers >> own;
        if (!numbers)
            return 0;
        pinocchio::framesForwardKinematics(model, data, q);
        const pinocchio::SE3 goal = data.oMf[frame];
        double best = 1e15, found = 0;
        size_t iterations = 0;
        bool done = false;
        for (int repeat = 0; repeat < (number ? 1 : 3); ++repeat) {
            StageModelTpl<double> stage(
                cost(space, goal, frame, rest, gravity, 10.0 * H, 0.01 * H, 0.01 * H, 1e-4 * H), step);
            if (bounded)
                stage.addConstraint(ControlErrorResidualTpl<double>(2 * nv, nv), BoxConstraintTpl<double>(-most, most));
            const std::vector<xyz::polymorphic<StageModelTpl<double>>> stages(N, stage);
            const TrajOptProblemTpl<double> problem(
                rest, stages, cost(space, goal, frame, rest, gravity, 1000.0, 0.01, 1.0, 0.0));
            SolverProxDDPTpl<double> solver(TOLERANCE, FIRST_MU, 300);
            solver.setup(problem);
            const VectorXd first = bounded ? VectorXd(gravity.cwiseMin(most).cwiseMax(-most)) : gravity;
            const std::vector<VectorXd> xs(N + 1, rest), us(N, first);
            const double begun = now();
            done = solver.run(problem, xs, us);
            best = std::min(best, now() - begun);
            found = solver.results_.traj_cost_;
            iterations = solver.results_.num_iters;
        }
        std::cout.precision(12);
        std::cout << done << ' ' << iterations << ' ' << found << ' ' << best << std::endl;
    }
}
