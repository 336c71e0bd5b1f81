"""What every room may import: signatures, options, targets, manifests, and how arguments are checked."""
