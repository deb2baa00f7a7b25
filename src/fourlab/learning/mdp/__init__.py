"""Games as Markov decision processes: to learn from step by step, or to plan in exactly."""
