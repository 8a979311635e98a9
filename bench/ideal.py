"""
The yardstick: what a schedule could take if starting, noticing and recording cost nothing.

It imports nothing of the engine. A plan is a mapping of task → {"needs": [...], "tries": [[seconds, exit], …]};
a try that ends with another exit than 0 is followed by the next one.
"""

import heapq


def greedy(plan, width):
    """Whatever is ready starts as soon as one of `width` workers is free, longest chain first."""
    chain = _chains(plan)
    open_needs = {name: len(set(task["needs"])) for name, task in plan.items()}
    ready = [(-chain[name], name) for name, count in open_needs.items() if not count]
    heapq.heapify(ready)
    after = _after(plan)
    running, tried, now = [], dict.fromkeys(plan, 0), 0.0
    while ready or running:
        while ready and len(running) < width:
            _, name = heapq.heappop(ready)
            seconds, code = plan[name]["tries"][tried[name]]
            tried[name] += 1
            heapq.heappush(running, (now + seconds, name, code))
        now, name, code = heapq.heappop(running)
        if code:
            heapq.heappush(ready, (-chain[name], name))
            continue
        for other in after[name]:
            open_needs[other] -= 1
            if not open_needs[other]:
                heapq.heappush(ready, (-chain[other], other))
    return now


def waves(plan, width):
    """The same with a barrier: a wave ends before the next begins."""
    depth = {}
    for name in _in_order(plan):
        depth[name] = 1 + max((depth[other] for other in plan[name]["needs"]), default=0)
    total = 0.0
    for level in range(1, max(depth.values()) + 1):
        wave = {name: {**plan[name], "needs": []} for name in plan if depth[name] == level}
        total += greedy(wave, width)
    return total


def critical_path(plan):
    """Seconds and tasks of the longest chain, failed tries included."""
    longest = {}
    for name in _in_order(plan):
        before = max((longest[other] for other in plan[name]["needs"]), default=(0.0, 0))
        longest[name] = (before[0] + _seconds(plan[name]), before[1] + 1)
    return max(longest.values())


def _seconds(task):
    total = 0.0
    for seconds, code in task["tries"]:
        total += seconds
        if not code:
            break
    return total


def _after(plan):
    after = {name: [] for name in plan}
    for name, task in plan.items():
        for other in set(task["needs"]):
            after[other].append(name)
    return after


def _in_order(plan):
    waiting = {name: set(task["needs"]) for name, task in plan.items()}
    order = [name for name, needs in waiting.items() if not needs]
    after = _after(plan)
    for name in order:
        for other in after[name]:
            waiting[other].discard(name)
            if not waiting[other]:
                order.append(other)
    return order


def _chains(plan):
    after, chain = _after(plan), {}
    for name in reversed(_in_order(plan)):
        chain[name] = 1 + max((chain[other] for other in after[name]), default=0)
    return chain
