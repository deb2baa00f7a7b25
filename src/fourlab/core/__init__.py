"""What knows no game: compiling, numbers, files, specs, limits, workers."""
