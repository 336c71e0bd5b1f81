"""The text of the handlers by which XLA calls compiled code."""

from __future__ import annotations

import re
from types import ModuleType

from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.emit.xla import emit_handlers, handler_name
from symdyn.interface.manifest import Manifest


def test_handlers_check_each_array(samples: ModuleType) -> None:
    files = emit_module(
        (samples.looped(),), robot="toy ??/", version="0.1.0", target="c", load_options={}, robot_yaml=""
    )
    manifest = Manifest.from_json(next(file.text for file in files if file.path == "manifest.json"))
    (entry,) = manifest.functions
    handlers = emit_handlers(manifest)
    assert handlers.path == f"{manifest.identifier}_xla.c"
    assert re.search(rf"XLA_FFI_Error \*{handler_name(entry)}\(XLA_FFI_CallFrame", handlers.text)
    for argument in (*entry.signature.inputs, *entry.signature.outputs):
        assert f"looped: array '{argument.name}' is not float64 of shape" in handlers.text
    assert "{2, 3, 1, " in handlers.text  # q and p, three outputs, p in the second place
    assert "??/" not in handlers.text
