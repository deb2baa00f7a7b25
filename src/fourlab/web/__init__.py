"""The web laboratory: thin pages over session objects that know nothing of a page."""
