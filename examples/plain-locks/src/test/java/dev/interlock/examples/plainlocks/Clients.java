// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.plainlocks;

import dev.interlock.conformance.plain.PlainLocks;
import dev.interlock.conformance.plain.PlainLocks.Client;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Clients that all rules share: each rule has the first for its first client, and so on, under names of its own. */
final class Clients {
    private final Supplier<Client> source;
    private final List<Client> clients = new CopyOnWriteArrayList<>();

    Clients(Supplier<Client> source) {
        this.source = source;
    }

    /** The clients of the next rule. */
    PlainLocks forOneRule() {
        AtomicInteger next = new AtomicInteger();
        return PlainLocks.clients(() -> get(next.getAndIncrement()));
    }

    private synchronized Client get(int index) {
        while (clients.size() <= index) {
            clients.add(source.get());
        }
        return clients.get(index);
    }
}
