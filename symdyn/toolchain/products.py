"""Files that are packed of a generated folder: what they are called, and whose they are."""

from __future__ import annotations

import zipfile
from pathlib import Path

from symdyn.interface.manifest import Manifest
from symdyn.interface.regular_files import open_regular
from symdyn.interface.targets import TARGETS


def products_of(manifest: Manifest) -> set[str]:
    """Names of the files that are packed of a folder with this manifest, beside the files that it lists."""
    target = TARGETS.get(manifest.target)
    names = {manifest.identifier + ending for ending in target.products} if target is not None else set()
    return {name for name in names if Path(name).name == name}


def is_own_unit(unit: Path) -> bool:
    """Whether a file is a unit of FMI that symdyn wrote."""
    from symdyn.compiler.emit.fmu.files import DESCRIPTION

    try:
        with open_regular(unit) as stream, zipfile.ZipFile(stream) as archive:
            return b'generationTool="symdyn ' in archive.read(DESCRIPTION)
    except (OSError, KeyError, zipfile.BadZipFile):
        return False
