// SPDX-License-Identifier: Apache-2.0
package com.example.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.testservers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each program, on a real server. */
class ProgramsTest {
    private static final RedisServer SERVER = RedisServer.start();
    private static final LockConfig CONFIG = LockConfig.of(SERVER.uri()).toBuilder()
            .commandTimeout(Duration.ofMinutes(1))
            .build();
    private static final int CALLERS = 6;

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void anInvoiceIsSettledWithATokenThatGrows() throws Exception {
        PrintStream terminal = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Invoices.main(new String[] {SERVER.uri(), "42"});
            Invoices.main(new String[] {SERVER.uri(), "42"});
        } finally {
            System.setOut(terminal);
        }
        List<Long> tokens = printed.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> {
                    assertThat(line).startsWith("invoice 42 settled with token ");
                    return Long.valueOf(line.substring(line.lastIndexOf(' ') + 1));
                })
                .toList();
        assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
        assertThat(SERVER.command("EXISTS", "interlock:{invoice:42}")).isEqualTo(0L);
    }

    @Test
    void aCacheThatTakesAnyLockLoadsAValueOnceInEachProcessAndWithOursOnceInAll() throws Exception {
        try (DistributedLockFactory one = DistributedLocks.getInstance("set-nx-px", CONFIG);
                DistributedLockFactory two = DistributedLocks.getInstance("set-nx-px", CONFIG)) {
            // Whole leases: of others, a process that has waited has two seconds at first, which a busy machine may
            // let pass.
            LockOptions whole = LockOptions.builder()
                    .lease(Duration.ofMinutes(5))
                    .renewal(false)
                    .build();
            assertThat(loads(List.of(i -> one.getLock("cache:" + i, whole), i -> two.getLock("cache:" + i, whole))))
                    .isEqualTo(1);
        }
        assertThat(loads(List.of(i -> new ReentrantLock(), i -> new ReentrantLock())))
                .as("two processes whose locks know nothing of each other")
                .isEqualTo(2);
    }

    /**
     * How often a value is loaded by caches of several processes that share a store, if all ask for it before any has
     * it.
     */
    private static int loads(List<IntFunction<Lock>> processes) throws Exception {
        StripedCache.Store<String> store = StripedCache.Store.inMemory();
        AtomicInteger loads = new AtomicInteger();
        CountDownLatch asked = new CountDownLatch(CALLERS * processes.size());
        StripedCache.Store<String> watched = new StripedCache.Store<>() {
            private final ThreadLocal<Boolean> before = ThreadLocal.withInitial(() -> true);

            @Override
            public Optional<String> get(String key) {
                if (before.get()) {
                    before.set(false);
                    asked.countDown();
                    return Optional.empty();
                }
                return store.get(key);
            }

            @Override
            public void put(String key, String value) {
                store.put(key, value);
            }
        };
        // Without a common lock the processes load at the same time: none gets the value before the others have checked
        // for it.
        CountDownLatch loading = new CountDownLatch(processes.get(0).apply(0) instanceof ReentrantLock ? 2 : 1);
        List<FutureTask<String>> callers = new ArrayList<>();
        for (IntFunction<Lock> locks : processes) {
            StripedCache<String> cache = new StripedCache<>(2, locks, watched, key -> {
                loads.incrementAndGet();
                awaitAll(asked);
                loading.countDown();
                awaitAll(loading);
                return "value of " + key;
            });
            for (int i = 0; i < CALLERS; i++) {
                FutureTask<String> caller = new FutureTask<>(() -> cache.get("key"));
                callers.add(caller);
                new Thread(caller, "caller").start();
            }
        }
        for (FutureTask<String> caller : callers) {
            assertThat(caller.get(1, TimeUnit.MINUTES)).isEqualTo("value of key");
        }
        return loads.get();
    }

    private static void awaitAll(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void eachTaskIsCountedOnceByVirtualThreadsWhereThereAreSome() throws Exception {
        assertThat(tasks(500)).startsWith("500 of 500 counted by ");
    }

    @Test
    @Tag("deep")
    void tenThousandVirtualThreadsShareTenLocks() throws Exception {
        assertThat(tasks(10_000))
                .isEqualTo("10000 of 10000 counted by "
                        + (Runtime.version().feature() < 21
                                ? "platform threads: virtual ones need Java 21"
                                : "virtual threads"));
    }

    private static String tasks(int tasks) throws Exception {
        try (DistributedLockFactory locks = DistributedLocks.getInstance("set-nx-px", CONFIG)) {
            return ManyTasks.run(locks, tasks);
        }
    }
}
