"""Thinking without learning: playouts, simple choices, exact and heuristic search."""
