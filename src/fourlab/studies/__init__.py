"""Studies: experiments over agents and learners, and the pictures of what they found."""
