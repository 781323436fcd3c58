"""Impacts and laws of arrays from Python, as many a second on one core: the best of five."""

import time

import numpy

import carom


def per_second(count, call):
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return count / best


random = numpy.random.default_rng(1)
count = 100_000
speed = random.uniform(0.1, 5, count)
restitution, contact_time = random.uniform(0.3, 0.95, count), random.uniform(1e-4, 1e-3, count)
law = carom.HuntCrossley(1e9, 1.5, 0.5)
measured = {"mass": 0.01, "speed": 1.0, "exponent": 1.5, "restitution": restitution, "contact_time": contact_time}
print(f"carom.impact    {per_second(count, lambda: carom.impact(law, mass=0.01, speed=speed)):.2e} a second")
print(f"carom.identify  {per_second(count, lambda: carom.identify(**measured)):.2e} a second")
