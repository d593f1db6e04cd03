"""The local venue's switches: faults, delays, stalls, time."""
