"""The CPython extension around the generated C: what turns ``module.inverse_dynamics(q, v, a)`` into one C call."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from symdyn.compiler.emit.arguments import parameters
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.results import result_of
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import VerificationError
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.signature import PARAMETERS, SWITCHES, Argument

SCALARS = {"float64": ("double", "NPY_DOUBLE"), "float32": ("float", "NPY_FLOAT")}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)
_HEADER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\.h\Z", re.ASCII)
_NAMED_ROWS = 8
CALLER = "python/caller.c"
"""The C file of an extension that is the same for all robots."""
_ARGUMENTS, _AXES = 16, 4
"""Inputs, outputs and axes that every extension has room for."""
# C promises 4095 characters per string literal.
_LITERAL = 2000
_LITERAL_LINE = 60


def module_name(manifest: Manifest) -> str:
    """Importable name of the extension: the robot's identifier and a hash of all that the manifest says.

    The hash lets two versions of one robot's module live in one process.
    """
    return f"{manifest.identifier}_{hashlib.sha256(manifest.to_json().encode()).hexdigest()[:12]}"


def emit_extension(manifest: Manifest, later: bool = False) -> tuple[SourceFile, SourceFile]:
    """Write the two C files of the extension module of a generated folder.

    Every function of the manifest becomes a built-in function that takes its inputs by position or name and an
    optional ``out=``; leading dimensions broadcast. Beside them stand ``signature(name)`` and ``set_threads(count)``.
    The first file is a table of the functions, and needs no header of Python's. It repeats each function's C call::

        static void call_0(scalar *const *a, scalar *work)
        {
            panda_inverse_dynamics(a[0], a[1], a[2], a[3], work);
        }

    The second one reads the table. It is the same for all robots, so that it is compiled once.

    Parameters
    ----------
    manifest
        Names, shapes, workspace sizes and operation counts of the C functions that ``manifest.header`` declares.
    later
        Whether the lanes are compiled when they are first needed.

    Returns
    -------
    ``python/<identifier>_extension.c``, which includes the header of the folder above it, and ``python/caller.c``.

    Raises
    ------
    VerificationError
        The manifest is not one that symdyn writes: a name that is no C identifier, an unknown scalar type.
    """
    head = checked_head(manifest)
    scalar, numpy_type = SCALARS[manifest.dtype]
    signatures = [entry.signature for entry in manifest.functions]
    arguments = [argument for signature in signatures for argument in (*signature.inputs, *signature.outputs)]
    shared = {
        "version": head["version"],
        "scalar": scalar,
        "max_axes": _room(_AXES, (len(argument.shape) for argument in arguments)),
    }
    table = {
        **head,
        **shared,
        "module_name": module_name(manifest),
        "header": manifest.header,
        "functions": [_function(entry, number) for number, entry in enumerate(manifest.functions)],
        "doc": c_string(f"Dynamics of robot {manifest.robot!r}, {manifest.dtype}."),
        "robot": c_string(repr(manifest.robot)),
        "offered": c_string(", ".join(entry.python_name for entry in manifest.functions)),
        "later": _slots(manifest) if later and manifest.lane_sources else [],
        "one_by_one": f"{manifest.identifier.upper()}_LANES / 4" if later and manifest.lane_sources else "0",
    }
    caller = {
        **shared,
        "numpy_type": numpy_type,
        "dtype": manifest.dtype,
        "max_inputs": _room(_ARGUMENTS, (len(signature.inputs) for signature in signatures)),
        "max_outputs": _room(_ARGUMENTS, (len(signature.outputs) for signature in signatures)),
        "switches": SWITCHES if any(argument.name == SWITCHES for argument in arguments) else "",
    }
    return (
        SourceFile(f"python/{manifest.identifier}_extension.c", render("extension/EXTENSION.c.jinja", table)),
        SourceFile(CALLER, render("extension/CALLER.c.jinja", caller)),
    )


def _room(least: int, needed: Iterable[int]) -> int:
    """A power of two that is enough, so that most robots share one."""
    return 1 << (max([least, *needed]) - 1).bit_length()


def emit_later(manifest: Manifest) -> SourceFile:
    """The C file that stands for lanes which are compiled later, for a library that Python calls through ctypes."""
    context = {**checked_head(manifest), "header": manifest.header, "later": _slots(manifest)}
    return SourceFile(f"python/{manifest.identifier}_later.c", render("extension/LATER.c.jinja", context))


def emit_header_of_one(manifest: Manifest, function: FunctionEntry, header: str) -> str:
    """A header that declares one function only, so that its objects do not depend on what else there is.

    Parameters
    ----------
    header
        The text of the whole header, which tells how many states a block has.
    """
    macro = f"{manifest.identifier.upper()}_LANES"
    states = re.search(rf"^#define {macro} (\d+)$", header, re.MULTILINE)
    (own,) = _slots(replace(manifest, functions=(function,)))
    lines = ["#include <stddef.h>"]
    lines += [f"#define {macro} {states[1]}"] if states else []
    lines += [f"void {own['c_name']}({own['parameters']});"]
    lines += [f"void {own['c_name']}{way}(size_t n, {own['parameters']});" for way in ("_batch", "_batch_lanes")]
    return "\n".join([*lines, ""])


def _slots(manifest: Manifest) -> list[dict[str, str]]:
    """How the C functions of blocks are declared and called."""
    scalar = SCALARS[manifest.dtype][0]
    found = []
    for entry in manifest.functions:
        inputs, outputs = len(entry.signature.inputs), len(entry.signature.outputs)
        types = [f"const {scalar} *"] * inputs + [f"{scalar} *"] * (outputs + 1)
        names = [*(f"a{number}" for number in range(inputs + outputs)), "work"]
        found.append(
            {
                "c_name": entry.c_name,
                "types": ", ".join(types),
                "parameters": ", ".join(f"{own}{name}" for own, name in zip(types, names, strict=True)),
                "names": ", ".join(names),
            }
        )
    return found


def emit_extension_stub(manifest: Manifest) -> SourceFile:
    """The stub of the extension, to lie beside it."""
    from symdyn.compiler.emit.stub import emit_stub  # opening a folder asks this file for names, and needs no emitters

    check_names(manifest)
    signatures = [entry.signature for entry in manifest.functions]
    said = (manifest.robot, manifest.version, manifest.dtype)
    return emit_stub(module_name(manifest), *said, "extension", signatures)


def check_identifiers(manifest: Manifest) -> None:
    """Refuse a manifest whose names could become anything but identifiers in code and in file names."""
    names = [manifest.identifier]
    for entry in manifest.functions:
        arguments = (*entry.signature.inputs, *entry.signature.outputs)
        names += [entry.c_name, entry.python_name, *(argument.name for argument in arguments)]
    for name in names:
        if not _IDENTIFIER.match(name):
            raise VerificationError(f"the manifest names {name!r}, expected a C identifier; generate the folder anew")
    if manifest.dtype not in SCALARS:
        raise VerificationError(
            f"the manifest has dtype {manifest.dtype!r}, expected {' or '.join(SCALARS)}; generate the folder anew"
        )


def check_names(manifest: Manifest) -> None:
    """Refuse a manifest that :func:`check_identifiers` refuses, or without a C header in the folder itself."""
    check_identifiers(manifest)
    if not _HEADER.match(manifest.header):
        raise VerificationError(
            f"the manifest has header {manifest.header!r}, expected the name of a C header in the folder itself; "
            f"target {manifest.target!r} may have no C sources: generate with target='c'"
        )


def checked_head(manifest: Manifest) -> dict[str, Any]:
    """What heads of C files around a module say, once :func:`check_names` has seen it: who wrote them, and for whom."""
    check_names(manifest)
    return {
        "identifier": manifest.identifier,
        "version": re.sub(r"[^\w.+-]", "_", manifest.version, flags=re.ASCII),
        "content": manifest.content_hash,
    }


def expected_shape(argument: Argument) -> str:
    """How messages write the shape that an input must have, such as ``(..., 7)``."""
    return f"({', '.join(['...', *map(str, argument.shape)])})"


def row_hint(argument: Argument) -> str:
    """What messages add to a wrong shape: the names of the entries of a vector, or of the rows of a matrix."""
    if len(argument.shape) not in (1, 2) or not argument.size:
        return ""
    names = list(argument.rows[0])
    if len(names) > _NAMED_ROWS:
        names = [*names[: _NAMED_ROWS - 2], "..", names[-1]]
    return f": {'rows ' * (len(argument.shape) == 2)}{', '.join(map(printable, names))}"


def printable(name: str) -> str:
    """A name from a robot file on one line: what a terminal would not show is written as an escape."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in name)


def argument_names(arguments: Sequence[Argument]) -> str:
    """Names of arguments in call order, for messages."""
    return ", ".join(argument.name for argument in arguments)


def describe(entry: FunctionEntry) -> str:
    """Docstring of a loaded function: what it computes, then each argument's shape and meaning."""
    signature = entry.signature
    lines = [printable(signature.description), ""]
    for argument in signature.inputs:
        lines.append(f"{argument.name}: {expected_shape(argument)}. {printable(argument.description)}")
    lines.append("")
    for argument in signature.outputs:
        lines.append(f"returns {argument.name}: {expected_shape(argument)}. {printable(argument.description)}")
    result = result_of(signature)
    if result is not None:
        lines.append(f"These are the fields of a named tuple {result.name}({', '.join(result.field_names)}).")
    lines += ["", "Leading dimensions broadcast; out= takes the output array, or a tuple of them."]
    return "\n".join(lines)


def c_string(text: str) -> str:
    """A C string literal of any text: UTF-8, everything unusual (and ``?``, for trigraphs) as an octal escape."""
    plain = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !#$%&'()*+,-./:;<=>@[]^_`{|}~")
    data = text.encode("utf-8", "backslashreplace")
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in data) + '"'


def _function(entry: FunctionEntry, number: int) -> dict[str, str]:
    signature, result = entry.signature, result_of(entry.signature)
    places = [f"a[{index}]" for index in range(len(signature.inputs) + len(signature.outputs))]
    arguments = ",\n    ".join(_argument(argument) for argument in (*signature.inputs, *signature.outputs))
    head = ", ".join(
        [
            c_string(entry.python_name),
            c_string(argument_names(signature.inputs)),
            c_string(argument_names(signature.outputs)),
            "NULL" if result is None else c_string(result.name),
            "NULL" if result is None else c_string(" ".join(result.field_names)),
            str(len(signature.inputs)),
            str(len(signature.outputs)),
            str(int(entry.work_size)),
            str(max(int(entry.work_size), int(entry.batch_work_size))),
            f"{int(entry.operations)}.0",
            f"call_{number}",
            f"batch_{number}",
        ]
    )
    taken = parameters([argument.name for argument in signature.inputs])
    text_signature = f"{entry.python_name}({', '.join(['$module', *taken])}, *, out=None)"
    doc = f"{text_signature}\n--\n\n{describe(entry)}"
    literals = "\n     ".join(c_string(line) for line in doc.splitlines(keepends=True))
    plain = f"{{(void (*)(void)){entry.c_name}, (void (*)(void)){entry.c_name}_batch}}"
    rest = f"{plain}, SIGNATURE_{number},\n     {literals},\n     wrap_{number}, ARGUMENTS_{number}"
    return {
        "call": f"{entry.c_name}({', '.join([*places, 'work'])});",
        "batch": f"{entry.c_name}_batch({', '.join(['count', *places, 'work'])});",
        "entry": f"{{{head}, {rest}}}",
        "signature": _text_pieces(_signature_json(entry)),
        "arguments": arguments,
    }


def _signature_json(entry: FunctionEntry) -> str:
    """The plain data of a function's signature with its operation counts, as ``signature(name)`` gives it."""
    data = {**entry.signature.to_dict(), "counts": dict(sorted(entry.counts.items())), "operations": entry.operations}
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True)


def _text_pieces(text: str) -> str:
    """String literals that make up a text when joined, none longer than C promises to read."""
    pieces = []
    for start in range(0, len(text), _LITERAL):
        piece = text[start : start + _LITERAL]
        lines = [piece[at : at + _LITERAL_LINE] for at in range(0, len(piece), _LITERAL_LINE)]
        pieces.append("\n    ".join(map(c_string, lines)))
    return ",\n    ".join([*pieces, "NULL"])


def _argument(argument: Argument) -> str:
    lengths = ", ".join(map(str, argument.shape)) or "0"
    texts = f"{c_string(argument.name)}, {c_string(expected_shape(argument))}, {c_string(row_hint(argument))}"
    shared = int(argument.name == PARAMETERS)
    return f"{{{texts}, {shared}, {len(argument.shape)}, {argument.size}, {{{lengths}}}}}"
