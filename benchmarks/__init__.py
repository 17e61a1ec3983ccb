"""What ore costs, as ratios within one run: `python -m benchmarks`, or `make bench`."""
