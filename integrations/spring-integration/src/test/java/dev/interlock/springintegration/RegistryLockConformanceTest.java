// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import dev.interlock.conformance.PlainLockConformance;
import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.conformance.plain.PlainLocks.Client;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The locks of the registry under the rules for any lock, with several registries on one server. */
@Tag("deep")
@Execution(ExecutionMode.CONCURRENT)
class RegistryLockConformanceTest extends PlainLockConformance {
    /**
     * The first rule's first client is every rule's first client, and so on: a connection each would take longer than
     * the rules.
     */
    private static final List<Client> CLIENTS = new CopyOnWriteArrayList<>();

    private static RegistryFixture backend;

    @BeforeAll
    static void start() {
        backend = new RegistryFixture();
    }

    @AfterAll
    static void stop() {
        backend.close();
        CLIENTS.clear();
    }

    private static synchronized Client client(int index) {
        while (CLIENTS.size() <= index) {
            CLIENTS.add(new InterlockLockRegistry(backend.factory(), "kit")::obtain);
        }
        return CLIENTS.get(index);
    }

    @Override
    protected PlainLocks locks() {
        AtomicInteger next = new AtomicInteger();
        return PlainLocks.clients(() -> client(next.getAndIncrement())).wakingWaiters();
    }

    @Override
    protected String subject() {
        return "InterlockLockRegistry";
    }
}
