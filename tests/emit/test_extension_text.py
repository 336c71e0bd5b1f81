"""What the functions of an extension say of themselves, read out of its C."""

from __future__ import annotations

import re
from types import ModuleType

from symdyn.compiler.emit.extension import describe, emit_extension
from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.tape.program import Program
from symdyn.interface.manifest import Manifest

LOOPED = """\
{description}

q: (..., 6). the q
p: (..., 1). the p

returns tau: (..., 6). the tau
returns m: (..., 3, 4). a grid
returns total: (...). sum of the grid
These are the fields of a named tuple Looped(tau, m, total).

Leading dimensions broadcast; out= takes the output array, or a tuple of them."""


def manifest_of(program: Program) -> Manifest:
    files = emit_module((program,), robot="toy", version="0.1.0", target="c", load_options={}, robot_yaml="name: toy\n")
    return Manifest.from_json(next(file.text for file in files if file.path == "manifest.json"))


def test_every_argument_has_its_line(samples: ModuleType) -> None:
    program = samples.looped()
    assert describe(manifest_of(program).function("looped")) == LOOPED.format(description=program.signature.description)


def test_the_literals_of_a_docstring_join_to_its_lines(samples: ModuleType) -> None:
    manifest = manifest_of(samples.looped())
    text = emit_extension(manifest)[0].text
    (literals,) = re.findall(r"SIGNATURE_0,\s+((?:\"(?:[^\"\\]|\\[0-7]{3})*\"\s*)+),\s+wrap_0", text)
    joined = "".join(re.findall(r"\"((?:[^\"\\]|\\[0-7]{3})*)\"", literals))
    spoken = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), joined)
    assert spoken.endswith(describe(manifest.function("looped")))
