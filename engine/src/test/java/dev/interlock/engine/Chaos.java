// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Random work under locks, and the assertions that must hold whatever goes wrong. Safe to use from any thread. */
final class Chaos {
    private static final LockOptions[] OPTIONS = {
        LockOptions.builder().lease(Duration.ofMillis(300)).build(),
        LockOptions.builder()
                .lease(Duration.ofMillis(300))
                .interruptOnLoss(true)
                .build(),
        LockOptions.builder().lease(Duration.ofMillis(500)).renewal(false).build(),
        LockOptions.builder()
                .lease(Duration.ofMillis(200))
                .maxHold(Duration.ofMillis(400))
                .build()
    };

    private final Environment env;
    private final boolean checksExclusion;
    private final Map<String, List<Lease>> live = new HashMap<>();
    private final Map<String, Long> lastFence = new HashMap<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();
    private final AtomicInteger acquired = new AtomicInteger();

    /**
     * Creates the work.
     *
     * @param checksExclusion whether to check that there is only one holder, because the server forgets nothing
     */
    Chaos(Environment env, boolean checksExclusion) {
        this.env = env;
        this.checksExclusion = checksExclusion;
    }

    List<String> violations() {
        return violations;
    }

    /** How often a lock was acquired. */
    int acquired() {
        return acquired.get();
    }

    static Supplier<RequestFault> faults(Random random, int percent) {
        return () -> {
            synchronized (random) {
                Duration delay = Duration.ofMillis(random.nextInt(20));
                if (random.nextInt(100) >= percent) {
                    return RequestFault.slowReply(delay).before(Duration.ofMillis(random.nextInt(10)));
                }
                return switch (random.nextInt(10)) {
                    case 0 -> RequestFault.unreachable();
                    case 1 -> RequestFault.lostRequest().before(delay);
                    case 2 -> RequestFault.lostReply().before(delay);
                    case 3, 4 -> RequestFault.lateEffect(delay.multipliedBy(4)).before(delay);
                    case 5 -> RequestFault.exception();
                    case 6 -> RequestFault.exceptionAfterEffect();
                    case 7 -> RequestFault.error();
                    case 8 -> RequestFault.slowReply(Duration.ofMillis(random.nextInt(600)));
                    default -> RequestFault.slowRequest(Duration.ofMillis(random.nextInt(400)));
                };
            }
        };
    }

    /** Some rounds of work; the thread may be interrupted at any time. */
    void work(LockEngine engine, int rounds, long seed, String... names) {
        Random random = new Random(seed);
        for (int i = 0; i < rounds; i++) {
            String name = names[random.nextInt(names.length)];
            DistributedLock lock = engine.getLock(name, OPTIONS[random.nextInt(OPTIONS.length)]);
            try {
                if (random.nextInt(4) == 0) {
                    byHandle(lock, random);
                } else {
                    byThread(lock, random);
                }
            } catch (InterruptedException | LockBackendException | LeaseLostException e) {
                // Expected under faults.
            } catch (IllegalStateException | AssertionError e) {
                if (!"planted".equals(e.getMessage())) {
                    report(name, e.toString());
                }
            } catch (RuntimeException e) {
                report(name, e.toString());
            }
        }
    }

    private void byThread(DistributedLock lock, Random random) throws InterruptedException {
        switch (random.nextInt(4)) {
            case 0 -> lock.lock();
            case 1 -> lock.lockInterruptibly();
            case 2 -> {
                if (!lock.tryLock()) {
                    return;
                }
            }
            default -> {
                if (!lock.tryLock(random.nextInt(300), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        }
        Lease lease = lock.lease().orElse(null);
        if (lease != null) {
            begin(lease);
        }
        int holds = 1;
        try {
            if (lease != null && random.nextInt(3) == 0 && lock.isHeldByCurrentThread()) {
                lock.lock();
                holds++;
            }
            use(lease, random);
        } finally {
            unlock(lock, lease, holds);
        }
    }

    private void unlock(DistributedLock lock, @Nullable Lease lease, int holds) {
        RuntimeException lost = null;
        for (int i = 0; i < holds; i++) {
            if (i == holds - 1 && lease != null) {
                end(lease);
            }
            try {
                lock.unlock();
            } catch (LeaseLostException e) {
                lost = e;
            }
        }
        if (lost != null) {
            throw lost;
        }
    }

    private void byHandle(DistributedLock lock, Random random) throws InterruptedException {
        LockHandle lease = random.nextBoolean()
                ? lock.acquire()
                : lock.tryAcquire(Duration.ofMillis(random.nextInt(300))).orElse(null);
        if (lease != null) {
            begin(lease);
            try {
                use(lease, random);
            } finally {
                end(lease);
                lease.close();
            }
        }
    }

    private void use(@Nullable Lease lease, Random random) {
        if (lease != null && random.nextInt(5) == 0) {
            ensureValid(lease, Duration.ofMillis(random.nextInt(150)));
        }
        env.park(this, TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextInt(20) == 0 ? 700 : 20)));
        if (lease != null) {
            check(lease.lockName());
        }
    }

    private static void ensureValid(Lease lease, Duration atLeast) {
        try {
            lease.ensureValid(atLeast);
        } catch (IllegalStateException e) {
            // The lease goes on for as long as maxHold permits.
            if (!String.valueOf(e.getMessage()).contains("maxHold leaves")) {
                throw e;
            }
        }
    }

    private synchronized void begin(Lease lease) {
        acquired.incrementAndGet();
        String name = lease.lockName();
        live.computeIfAbsent(name, key -> new ArrayList<>()).add(lease);
        long fence = lease.fencingToken().orElseThrow();
        // A holder that has lost its lease by now may read its token after the next holder has read a larger one.
        if (checksExclusion && lease.isValid() && fence <= lastFence.getOrDefault(name, 0L)) {
            report(name, "fencing token " + fence + " after " + lastFence.get(name));
        }
        lastFence.merge(name, fence, Math::max);
        check(name);
    }

    private synchronized void end(Lease lease) {
        check(lease.lockName());
        live.get(lease.lockName()).remove(lease);
    }

    private synchronized void check(String name) {
        List<Lease> valid = live.getOrDefault(name, List.of()).stream()
                .filter(Lease::isValid)
                .toList();
        if (checksExclusion && valid.size() > 1) {
            report(name, "two holders: " + valid);
        }
    }

    private void report(String name, String what) {
        violations.add(name + ": " + what);
    }
}
