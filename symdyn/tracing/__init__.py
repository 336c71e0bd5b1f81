"""The bridge from a Plan to a Program, unrolled or rolled."""
