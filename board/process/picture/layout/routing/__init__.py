"""How flows run between the things that stand: ports, tracks, corners."""
