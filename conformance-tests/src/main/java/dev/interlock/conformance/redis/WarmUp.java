// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.spi.LockStrategyProvider;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Uses a strategy once in this JVM before the first rule, to load the classes of the client library. On a busy machine
 * loading them may take longer than a command time-out, and the first rule would fail.
 */
final class WarmUp {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Map<String, Boolean> DONE = new ConcurrentHashMap<>();

    private WarmUp() {}

    static void once(LockStrategyProvider provider, LockConfig config) {
        String options = config.optionNames().stream()
                .map(name -> name + "=" + config.option(name).orElse(""))
                .collect(Collectors.joining(","));
        // Rules that begin at the same time also wait for it.
        DONE.computeIfAbsent(provider.getClass().getName() + " " + options, first -> {
            lockAndUnlock(provider, config.toBuilder().commandTimeout(TIMEOUT).build());
            return true;
        });
    }

    /** On a thread of its own, because a strategy under test may hang. */
    private static void lockAndUnlock(LockStrategyProvider provider, LockConfig config) {
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    try (DistributedLockFactory factory = DistributedLocks.getInstance(provider, config)) {
                        DistributedLock lock = factory.getLock("warm-up");
                        if (lock.tryLock()) {
                            lock.unlock();
                        }
                    } catch (RuntimeException e) {
                        // A strategy that fails here breaks every rule, and the rules report it.
                    } finally {
                        end.countDown();
                    }
                },
                "conformance-warm-up");
        thread.setDaemon(true);
        thread.start();
        try {
            end.await(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
