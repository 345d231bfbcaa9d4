"""A request of a store that can be met is met, though an older one has to wait."""
from source import end, expect, import_from

import_from("src")
import simpy

env, got = simpy.Environment(), []
store = simpy.FilterStore(env)


def consumer(name, wanted):
    item = yield store.get(lambda item: item == wanted)
    got.append((env.now, name, item))


def producer():
    yield env.timeout(1)
    yield store.put("blue")
    yield env.timeout(1)
    yield store.put("green")
    yield env.timeout(1)
    yield store.put("red")


for one in (("a", "red"), ("b", "blue"), ("c", "green")):
    env.process(consumer(*one))
env.process(producer())
env.run()
expect(got == [(1, "b", "blue"), (2, "c", "green"), (3, "a", "red")], "FilterStore gives %s" % got)

env = simpy.Environment()
store = simpy.Store(env)
first, second = store.get(), store.get()
store.put(1)
store.put(2)
env.run()
expect((first.value, second.value) == (1, 2), "Store is no longer first in, first out")
end()
