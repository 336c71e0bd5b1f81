"""Functions of FMI 3.0 that a unit of one robot has no use for: every importer looks them up all the same."""

from __future__ import annotations

from collections.abc import Iterator

_TYPES = {
    "Float32": "float",
    "Int8": "int8_t",
    "UInt8": "uint8_t",
    "Int16": "int16_t",
    "UInt16": "uint16_t",
    "Int32": "int32_t",
    "UInt32": "uint32_t",
    "Int64": "int64_t",
    "UInt64": "uint64_t",
    "Boolean": "bool",
    "String": "const char *",
}
_REFERENCES = "const uint32_t *references, size_t count"
_OTHERS = {
    "GetBinary": f"{_REFERENCES}, size_t *sizes, const uint8_t **values, size_t value_count",
    "SetBinary": f"{_REFERENCES}, const size_t *sizes, const uint8_t *const *values, size_t value_count",
    "GetClock": f"{_REFERENCES}, bool *values",
    "SetClock": f"{_REFERENCES}, const bool *values",
    "GetNumberOfVariableDependencies": "uint32_t reference, size_t *count",
    "GetVariableDependencies": "uint32_t dependent, size_t *elements, uint32_t *independents, "
    "size_t *independent_elements, int *kinds, size_t count",
    "EnterConfigurationMode": "",
    "ExitConfigurationMode": "",
    "GetIntervalDecimal": f"{_REFERENCES}, double *intervals, int *qualifiers",
    "GetIntervalFraction": f"{_REFERENCES}, uint64_t *counters, uint64_t *resolutions, int *qualifiers",
    "GetShiftDecimal": f"{_REFERENCES}, double *shifts",
    "GetShiftFraction": f"{_REFERENCES}, uint64_t *counters, uint64_t *resolutions",
    "SetIntervalDecimal": f"{_REFERENCES}, const double *intervals",
    "SetIntervalFraction": f"{_REFERENCES}, const uint64_t *counters, const uint64_t *resolutions",
    "SetShiftDecimal": f"{_REFERENCES}, const double *shifts",
    "SetShiftFraction": f"{_REFERENCES}, const uint64_t *counters, const uint64_t *resolutions",
    "EvaluateDiscreteStates": "",
    "EnterStepMode": "",
    "GetOutputDerivatives": f"{_REFERENCES}, const int32_t *orders, double *values, size_t value_count",
    "ActivateModelPartition": "uint32_t clock, double time",
}


def unused_functions() -> Iterator[tuple[str, list[str], list[str]]]:
    """Name, declarations of parameters after the instance, and the names of these, of each."""
    for kind, scalar in _TYPES.items():
        own = scalar if scalar.endswith("*") else f"{scalar} "
        yield _split(f"Get{kind}", f"{_REFERENCES}, {own}*values, size_t value_count")
        constant = f"{scalar}const " if scalar.endswith("*") else f"const {own}"
        yield _split(f"Set{kind}", f"{_REFERENCES}, {constant}*values, size_t value_count")
    for name, parameters in _OTHERS.items():
        yield _split(name, parameters)


def _split(name: str, parameters: str) -> tuple[str, list[str], list[str]]:
    texts = parameters.split(", ") if parameters else []
    return f"fmi3{name}", texts, [text.replace("*", " ").split()[-1] for text in texts]
