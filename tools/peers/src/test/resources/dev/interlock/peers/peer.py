# SPDX-License-Identifier: Apache-2.0
# The lock of redis-py, which is told what to do line by line. Arguments: port, key, name of this process,
# file for the history.
import platform
import random
import sys
import time

import redis
from redis.exceptions import LockError

port, key, name, file = sys.argv[1:5]
client = redis.Redis(host="127.0.0.1", port=int(port))
held = None

# Longer than a process stands still on a busy machine, and shorter than that of ours.
LEASE = 60000

# One hold in so many is extended.
EXTENDED = 10


def acquire(ttl, wait):
    global held
    lock = client.lock(key, timeout=ttl / 1000, sleep=0.01)
    if not lock.acquire(blocking=wait > 0, blocking_timeout=wait / 1000 if wait > 0 else None):
        return False
    held = lock
    return True


def lock(ttl):
    """Waits as the library does, with its own pauses."""
    global held
    held = client.lock(key, timeout=ttl / 1000)
    return held.acquire()


def attempt(action):
    try:
        return bool(action())
    except LockError:
        return False


def release():
    return attempt(lambda: held.release() is None)


def extend(ttl):
    return attempt(lambda: held.extend(ttl / 1000, replace_ttl=True))


def load(seconds, counter):
    written = 0
    sequence = 0
    with open(file, "w") as history:

        def note(kind, op):
            nonlocal sequence
            history.write(
                '{"sequence":%d,"nanos":%d,"process":"%s","type":"%s","op":"%s","lock":"%s"}\n'
                % (sequence, time.monotonic_ns(), name, kind, op, key)
            )
            sequence += 1

        until = time.monotonic() + seconds
        # Whoever polls may find the lock taken throughout.
        while time.monotonic() < until or written == 0:
            note("INVOKE", "ACQUIRE")
            if not acquire(LEASE, 2000):
                note("FAIL", "ACQUIRE")
                continue
            note("OK", "ACQUIRE")
            before = int(client.get(counter) or 0)
            client.set(counter, before + 1)
            written += 1
            if written % EXTENDED == 0 and not extend(LEASE):
                raise RuntimeError("the lock could not be extended")
            # The release tells of another value, but not of another time to live.
            left = client.pttl(key)
            if left > LEASE:
                raise RuntimeError("somebody has extended this lock to %d ms" % left)
            note("INVOKE", "RELEASE")
            note("OK" if release() else "FAIL", "RELEASE")
            time.sleep(random.random() / 100)
    return written


def answer(said):
    print({True: "yes", False: "no"}.get(said, said) if isinstance(said, bool) else said, flush=True)


print("ready", flush=True)
for line in sys.stdin:
    verb, *rest = line.split()
    if verb == "acquire":
        answer(acquire(float(rest[0]), float(rest[1])))
    elif verb == "lock":
        answer(lock(float(rest[0])))
    elif verb == "version":
        answer("%s, Python %s" % (redis.__version__, platform.python_version()))
    elif verb == "release":
        answer(release())
    elif verb == "extend":
        answer(extend(float(rest[0])))
    elif verb == "load":
        answer(load(float(rest[0]), rest[1]))
    else:
        raise ValueError(line)
