"""``symdyn schema``: the keys of robot files in YAML, for editors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from . import terminal, written


def run(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there; to standard output by default.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite --out where it exists.")] = False,
) -> None:
    """Write the JSON Schema of symdyn's YAML. Editors complete keys, show what they mean, and mark wrong ones.

    A robot file names it in its first line: # yaml-language-server: $schema=symdyn.schema.json
    """
    import json

    from symdyn.description.yaml.json_schema import yaml_schema
    from symdyn.errors import RequestError

    text = json.dumps(yaml_schema(), indent=2, ensure_ascii=False) + "\n"
    if out is None:
        sys.stdout.write(text)
        return
    written.check_folder("--out", out)
    if out.exists() and not force:
        raise RequestError(f"--out {out}: the file exists; give another name, or --force to overwrite it")
    out.write_text(text, encoding="utf-8", newline="\n")
    terminal.line(out)
