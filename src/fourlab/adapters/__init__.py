"""Other people's interfaces: fourlab's games and agents, spoken to as others expect."""
