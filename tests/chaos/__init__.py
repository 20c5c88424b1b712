"""Deliveries while processes die: `make chaos SEED=n` (benchmarks/chaos.md holds what it found)."""
