"""Inputs of a controller that reads the state at samples and holds its answer until the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.system import Inputs
from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_positive

Array = NDArray[np.float64]
_MOST = 10**7


class SampledInputs:
    """Inputs that are called once per sample, in the order of time, with the state there.

    Steps end at samples, so the first state that is seen from a sample on is that of the motion. Later calls for the
    same sample, such as those of stages or of a record, get the same inputs.
    """

    def __init__(self, inputs: Inputs, start: float, end: float, sample_time: float) -> None:
        length = given_positive("sample_time", sample_time)
        if (end - start) / length > _MOST:
            raise RequestError(f"sample_time of {length!r} s has more than {_MOST} samples; take a longer one")
        self._inputs, self._values = inputs, list[Array]()
        self.times = start + length * np.arange(int(np.ceil((end - start) / length * (1.0 - 1e-12))) + 1)
        self.times = self.times[self.times < end - 1e-9 * length]

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs of the sample in which t is."""
        sample = max(0, int(np.searchsorted(self.times, t, side="right")) - 1)
        while len(self._values) <= sample:
            self._values.append(np.array(self._inputs(float(self.times[len(self._values)]), q, v), dtype=np.float64))
        return self._values[sample]
