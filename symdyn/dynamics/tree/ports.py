"""What kernels read and write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Scalar

Reads = Mapping[str, Sequence[Scalar]]
"""What a kernel reads, by port."""
Writes = Mapping[str, Sequence[Scalar]]
"""What a kernel writes, by port."""
