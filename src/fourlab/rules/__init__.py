"""The games: geometry, rule kernels, positions, and the names games go by."""
