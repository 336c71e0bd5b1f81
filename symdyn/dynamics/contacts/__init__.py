"""Rigid contacts: points, normals and gaps of slots, their rows, and the contact problem of one step."""
