"""Motions, wrenches, transforms and inertia over any scalar: six scalars hold the linear part first."""
