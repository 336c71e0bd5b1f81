"""A library of CasADi's external functions, opened by CasADi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symdyn.errors import ToolchainError
from symdyn.interface.signature import role_of
from symdyn.toolchain.module import Module

if TYPE_CHECKING:
    import casadi


class CasadiModule(Module):
    """Functions of one robot for CasADi's graphs: ``module.casadi("inverse_dynamics")``."""

    def casadi(self, name: str, **options: Any) -> casadi.Function:
        """A function with its derivatives, as ``casadi.external`` opens it.

        Parameters
        ----------
        name
            From the catalogue, among those that were compiled.
        options
            Those of ``casadi.external``.

        Raises
        ------
        RequestError
            The module has no function of that name.
        ToolchainError
            CasADi cannot open the library.
        """
        import casadi

        found = [entry.c_name for entry in self.manifest.functions if entry.python_name == str(name)]
        if not found:
            raise self._unknown(name)
        try:
            return casadi.external(found[0], str(self.path), options)
        except RuntimeError as failure:
            raise ToolchainError(f"CasADi cannot open {name!r} of {self.path}: {failure}") from None

    @property
    def _offered(self) -> list[str]:
        return [name for name in super()._offered if not role_of(name)]
