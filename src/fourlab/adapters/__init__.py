"""Other people's interfaces to fourlab's games."""
