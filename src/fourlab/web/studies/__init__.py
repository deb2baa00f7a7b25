"""Studies on the server: what is known of each, and quick reruns of them."""
