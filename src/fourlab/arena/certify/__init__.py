"""Agents without dice, played against every reply."""
