"""Accelerations of forces: the articulated-body algorithm, joint by joint, cluster by cluster, block by block."""
