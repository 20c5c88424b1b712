"""What the product costs, measured: `make bench` runs every benchmark and writes benchmarks/results.md.

Everything is a ratio, or set beside something that is measured in the same run, in rounds that take turns: so a busy
machine slows both sides alike. CPU time, not the clock's, wherever a figure is about work.
"""
