"""The one Jinja environment. Templates hold layout; Python has already formed every statement."""

from __future__ import annotations

import importlib.util
import os
import pickle
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jinja2

_OPTIONS = {"autoescape": False, "trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
"""How templates are read."""
_OPTIONS_NUMBER = 1
"""Another one for other options: code that was compiled with these is not found then."""


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # what was rendered before is loaded without it

    class KeptTemplates(jinja2.BytecodeCache):
        """Compiled templates beside their texts, where Python keeps what it makes of its own sources.

        Compiling those of one C function takes longer than all else of emitting it. Each is known by the hash of its
        text, as Jinja records it.
        """

        def load_bytecode(self, bucket: Any) -> None:
            # a file that was cut off counts as absent
            with suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
                bucket.bytecode_from_string(_kept_at(bucket.key).read_bytes())

        def dump_bytecode(self, bucket: Any) -> None:
            if not sys.dont_write_bytecode:
                with suppress(OSError):  # where it may not be written, it is made again
                    _write(_kept_at(bucket.key), bucket.bytecode_to_string(), Path(bucket.key).stat().st_mode)

        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            return filename or ""

    return jinja2.Environment(
        loader=jinja2.PackageLoader("symdyn.templates", ""),
        undefined=jinja2.StrictUndefined,
        bytecode_cache=KeptTemplates(),
        **_OPTIONS,  # type: ignore[arg-type]
    )


def _kept_at(template: str) -> Path:
    """Where the code of a template lies; nowhere if its text has no file."""
    import jinja2

    if not template:
        raise FileNotFoundError
    beside = Path(importlib.util.cache_from_source(template))
    return beside.with_name(f"{beside.stem}.jinja-{jinja2.__version__}.{_OPTIONS_NUMBER}{beside.suffix}")


def _write(place: Path, data: bytes, mode: int) -> None:
    """Write a file beside its place and rename it, so that readers see all or nothing."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f"{place.name}.")
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        made.chmod(mode & 0o666)
        made.replace(place)
    finally:
        made.unlink(missing_ok=True)


def render(template: str, context: dict[str, Any]) -> str:
    """Text of a template (path below ``templates/``, such as ``c/FUNCTION.c.jinja``) in a context."""
    return _environment().get_template(template).render(context)
