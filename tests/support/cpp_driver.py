"""A program in C++ that calls every function of a header in all its forms, and compares each with the bits of C.

It prints a line per comparison, and ends with an error at the first that differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.signature import Argument

STATES = 5

_HEAD = """
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "@.hpp"
#include "@.hpp"

#ifdef EIGEN_RUNTIME_NO_MALLOC
#define HEAP(allowed) Eigen::internal::set_is_malloc_allowed(allowed)
#else
#define HEAP(allowed) static_cast<void>(allowed)
#endif

static void fill(SCALAR *to, std::size_t size, int seed)
{
  for (std::size_t k = 0; k < size; ++k) to[k] = static_cast<SCALAR>(std::sin(1.7 * static_cast<double>(k) + seed));
}

static void same(const SCALAR *one, const SCALAR *other, std::size_t size, const char *what)
{
  if (size && std::memcmp(one, other, size * sizeof(SCALAR)) != 0) {
    std::fprintf(stderr, "%s differs from C\\n", what);
    std::exit(1);
  }
  std::printf("%s\\n", what);
}

#ifdef SYMDYN_@_EIGEN
template <int Rows, int Columns>
using Wide = Eigen::Matrix<SCALAR, Rows, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;

template <class Matrix>
static void same_rows(const SCALAR *one, const Matrix &other, const char *what)
{
  const Eigen::Matrix<SCALAR, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> copy = other;
  same(one, copy.data(), static_cast<std::size_t>(copy.size()), what);
}
#endif

int main()
{
"""


def program(manifest: Manifest) -> str:
    """The text of the program."""
    scalar = {"float64": "double", "float32": "float"}[manifest.dtype]
    head = _HEAD.replace("@", manifest.identifier).replace("SCALAR", scalar)
    parts = [_Calls(manifest.identifier, entry, scalar).text() for entry in manifest.functions]
    return "\n".join([head, *parts, "  return 0;", "}", ""])


class _Calls:
    """All calls of one function; what C makes of the same numbers is in arrays ``c_..``."""

    def __init__(self, space: str, entry: FunctionEntry, scalar: str) -> None:
        self.space, self.entry, self.scalar = space, entry, scalar
        self.name = f"{space}::{entry.python_name}"
        self.inputs, self.outputs = entry.signature.inputs, entry.signature.outputs
        self.arguments = (*self.inputs, *self.outputs)
        self.given = ", ".join(argument.name for argument in self.arguments)

    def text(self) -> str:
        """A block of C++."""
        lines = self._in_c() + self._form(self._array, "array", self._array_calls())
        lines.append(f"#ifdef SYMDYN_{self.space}_EIGEN")
        for order in ("Eigen::ColMajor", "Eigen::RowMajor"):
            sums = [
                f"{item.name} + {self.scalar}(0) * {item.name}" if item.shape else item.name for item in self.inputs
            ]
            sums += [item.name for item in self.outputs]
            calls = [f"{self.name}({self.given});", f"{self.name}({', '.join(sums)});"]
            lines += self._form(lambda item, order=order: self._matrix(item, order), "matrices", calls)
        lines += self._form(self._block, "blocks", [f"{self.name}({self.given});"])
        pointers = ", ".join(f"{argument.name}.data()" for argument in self.arguments)
        calls = [f"{self.name}_batch({self.given}, many);", f"{self.name}_batch({STATES}, {pointers}, many);"]
        lines += [f"  static {self.name}_batch_work many;", *self._form(self._many, "batch", calls)]
        return "\n".join(["  {", *lines, "#endif", "  }"])

    def _in_c(self) -> list[str]:
        size = max(self.entry.work_size, self.entry.batch_work_size) + 1
        lines = [f"  static {self.scalar} scratch[{size}];"]
        for seed, argument in enumerate(self.arguments):
            lines.append(f"  static {self.scalar} c_{argument.name}[{STATES * argument.size + 1}];")
            if argument in self.inputs:
                lines.append(f"  fill(c_{argument.name}, {STATES * argument.size}, {seed});")
        arrays = ", ".join(f"c_{argument.name}" for argument in self.arguments)
        return [*lines, f"  {self.entry.c_name}_batch({STATES}, {arrays}, scratch);"]

    def _form(self, declared: Callable[[Argument], list[str]], what: str, calls: Iterable[str]) -> list[str]:
        lines = ["  {"]
        for argument in self.arguments:
            lines += declared(argument) if argument.shape or what == "batch" else [self._number(argument)]
        for call in calls:
            lines += ["  HEAP(false);", f"  {call}", "  HEAP(true);"]
            for item in self.outputs:
                one, said = f"c_{item.name}", f'"{self.name} {what}"'
                if not item.shape and what != "batch":
                    lines.append(f"  same({one}, &{item.name}, 1, {said});")
                elif what == "array":
                    lines.append(f"  same({one}, {item.name}.data(), {item.size}, {said});")
                else:
                    lines += [f"  same_rows({one}, {item.name}, {said});", f"  {item.name}.setZero();"]
        return [*lines, "  }"]

    def _number(self, argument: Argument) -> str:
        return f"  {self.scalar} {argument.name} = c_{argument.name}[0];"

    def _array(self, argument: Argument) -> list[str]:
        name, size = argument.name, argument.size
        lines = [f"  std::array<{self.scalar}, {size}> {name};"]
        if argument not in self.inputs:
            return lines
        return [*lines, f"  for (std::size_t k = 0; k < {size}; ++k) {name}[k] = c_{name}[k];"]

    def _array_calls(self) -> list[str]:
        calls = [f"{self.name}({self.given});"]
        if self.entry.work_size:
            calls.append(f"static {self.name}_work work; {self.name}({self.given}, work);")
        return calls

    def _matrix(self, argument: Argument, order: str) -> list[str]:
        """Of fixed size; what is one column or one row has no choice."""
        rows, columns = _sizes(argument)
        own = "Eigen::ColMajor" if columns == 1 else "Eigen::RowMajor" if rows == 1 else order
        return self._of_kind(argument, f"Eigen::Matrix<{self.scalar}, {rows}, {columns}, {own}>")

    def _of_kind(self, argument: Argument, kind: str) -> list[str]:
        if argument not in self.inputs:
            return [f"  {kind} {argument.name};"]
        rows, columns = _sizes(argument)
        return [f"  const {kind} {argument.name} = Eigen::Map<const Wide<{rows}, {columns}>>(c_{argument.name});"]

    def _block(self, argument: Argument) -> list[str]:
        """Of a size known at run time; outputs are blocks of larger matrices."""
        kind = f"Eigen::Matrix<{self.scalar}, Eigen::Dynamic, Eigen::Dynamic>"
        if argument in self.inputs:
            return self._of_kind(argument, kind)
        rows, columns = _sizes(argument)
        whole = f"  {kind} whole_{argument.name} = {kind}::Zero({rows + 2}, {columns + 1});"
        return [whole, f"  auto {argument.name} = whole_{argument.name}.block(1, 0, {rows}, {columns});"]

    def _many(self, argument: Argument) -> list[str]:
        """A row per state; run-time parameters are shared."""
        if argument.name == "p":
            return self._of_kind(argument, f"Eigen::Matrix<{self.scalar}, {argument.size}, 1>")
        order = "Eigen::ColMajor" if argument.size == 1 else "Eigen::RowMajor"
        kind = f"Eigen::Matrix<{self.scalar}, Eigen::Dynamic, {argument.size}, {order}>"
        sizes = f"{STATES}, {argument.size}"
        if argument in self.inputs:
            return [f"  const {kind} {argument.name} = Eigen::Map<const {kind}>(c_{argument.name}, {sizes});"]
        return [f"  {kind} {argument.name} = {kind}::Zero({sizes});"]


def _sizes(argument: Argument) -> tuple[int, int]:
    if len(argument.shape) < 2:
        return argument.size, 1
    return argument.size // argument.shape[-1] if argument.size else 0, argument.shape[-1]
