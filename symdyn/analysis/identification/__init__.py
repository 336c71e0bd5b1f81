"""Inertial parameters, friction and rotors from measured motions, and motions that show them well."""
