// CppADCodeGen's C for one of Pinocchio's algorithms, run over its scalars; arguments: name of the function, model file,
// number of results. The C goes to standard output: void rival(const double *const *in, double *const *out, struct LangCAtomicFun).
#include <pinocchio/codegen/cppadcg.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

#include "pinocchio_algorithms.hpp"
#include "pinocchio_model.hpp"

int main(int argc, char **argv) {
    using Base = CppAD::cg::CG<double>;
    using Scalar = CppAD::AD<Base>;
    if (argc != 4) return 2;
    const auto known = algorithms<Scalar>();
    const auto found = known.find(argv[1]);
    const pinocchio::Model numbers = read_model(argv[2]);
    if (found == known.end() || numbers.njoints < 2) return std::cerr << "no " << argv[1] << " of " << argv[2] << '\n', 1;
    const auto model = numbers.cast<Scalar>();
    Algorithm<Scalar>::Data data(model);

    using Input = Algorithm<Scalar>::Input;
    const Eigen::Index nq = model.nq, nv = model.nv;
    const Eigen::Index rows = found->second.inputs == 1 ? nq : found->second.inputs == 2 ? nq + nv : nq + 2 * nv;
    Algorithm<Scalar>::Vector x(nq + 2 * nv), given(rows), y(std::atol(argv[3]));
    x.setZero();
    y.setZero();
    given.setZero();
    for (int joint = 1; joint < model.njoints; ++joint)
        if (model.nqs[joint] == 7) given[model.idx_qs[joint] + 6] = Scalar(1.); /* a unit quaternion to trace at */
    CppAD::Independent(given);
    x.head(rows) = given;
    found->second.run(model, data, Input(x.data(), nq), Input(x.data() + nq, nv), Input(x.data() + nq + nv, nv));
    found->second.results(data, y.data());
    CppAD::ADFun<Base> function(given, y);
    function.optimize("no_compare_op");

    CppAD::cg::CodeHandler<double> handler;
    CppAD::vector<Base> in(static_cast<std::size_t>(rows));
    handler.makeVariables(in);
    auto out = function.Forward(0, in);
    CppAD::cg::LanguageC<double> language("double");
    language.setGenerateFunction("rival");
    language.setParameterPrecision(17);
    CppAD::cg::LangCDefaultVariableNameGenerator<double> names;
    handler.generateCode(std::cout, language, out, names);
    return 0;
}
