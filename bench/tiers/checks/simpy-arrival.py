"""Requests of one priority are served in the order in which they came, whatever `preempt` says."""
from source import end, expect, import_from

import_from("src")
import simpy

for kind in (simpy.PriorityResource, simpy.PreemptiveResource):
    env, served = simpy.Environment(), []

    def customer(resource, name, at, priority, preempt):
        yield env.timeout(at)
        with resource.request(priority=priority, preempt=preempt) as request:
            yield request
            served.append(name)
            yield env.timeout(10)

    resource = kind(env, capacity=1)
    for one in (("first", 0, 0, True), ("polite", 1, 1, False), ("late", 2, 1, True), ("last", 3, 2, True)):
        env.process(customer(resource, *one))
    env.run()
    expect(served == ["first", "polite", "late", "last"], "%s serves %s" % (kind.__name__, served))

# At one time and with one priority, who may preempt still goes first.
env = simpy.Environment()
resource = simpy.PriorityResource(env, capacity=1)
resource.request()
polite, other = resource.request(priority=1, preempt=False), resource.request(priority=1, preempt=True)
expect(list(resource.queue) == [other, polite], "at one time the one that may preempt is not first")
end()
