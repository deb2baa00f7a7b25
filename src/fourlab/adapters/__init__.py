<<<<<<< HEAD
"""Other people's interfaces to fourlab's games."""
=======
"""Other people's interfaces: fourlab's games and agents, spoken to as others expect."""
>>>>>>> main
