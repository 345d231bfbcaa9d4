"""Environment.schedule is Environment.enqueue everywhere, and simulations run."""
from source import attributes, end, expect, import_from, methods

names = methods("Environment", "src/simpy/core.py")
expect("enqueue" in names and "schedule" not in names, "Environment has the methods %s" % sorted(names))
expect(not attributes("schedule", "src", "tests"), "schedule is left in %s" % attributes("schedule", "src", "tests"))
expect(len(attributes("enqueue", "src")) == 9, "enqueue stands in %s" % attributes("enqueue", "src"))
import_from("src")
import simpy

env, seen = simpy.Environment(), []


def worker(event):
    try:
        yield env.timeout(5)
    except simpy.Interrupt as interrupt:
        seen.append((env.now, interrupt.cause))
    yield event
    seen.append(env.now)


event = env.event()
process = env.process(worker(event))


def other():
    yield env.timeout(1)
    process.interrupt("why")
    yield env.timeout(1)
    event.succeed()
    failing = env.event()
    failing.fail(ValueError())
    try:
        yield failing
    except ValueError:
        seen.append("failed")
    chained = env.event()
    chained.trigger(event)
    yield chained


env.process(other())
env.run(until=10)
expect(seen == [(1, "why"), 2, "failed"] and env.now == 10, "a simulation gives %s at %s" % (seen, env.now))
end()
