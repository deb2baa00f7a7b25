"""One scale for what things are worth: 1 a win, 0 a draw, -1 a loss."""


def worth(reward: float, win: float = 1.0, draw: float = 0.0, loss: float = -1.0) -> float:
    """Return a reward on the scale, given what a win, a draw and a loss are rewarded with."""
    above = reward - draw
    span = win - draw if above > 0 else draw - loss
    return max(-1.0, min(1.0, above / span)) if span > 0 else 0.0
