"""Functions that integrators call: rates of states with their Jacobians, residuals with theirs."""
