"""Optimal-control problems as records: costs, limits, horizon and settings of a solver."""
