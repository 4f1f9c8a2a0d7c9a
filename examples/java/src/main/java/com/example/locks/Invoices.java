// SPDX-License-Identifier: Apache-2.0
package com.example.locks;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import java.time.Duration;
import java.util.Optional;

/** Settles an invoice, one process at a time. */
public final class Invoices {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Invoices() {}

    /**
     * Settles an invoice.
     *
     * @param args where the servers are, such as {@code redis://localhost}, and the number of the invoice
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public static void main(String[] args) throws InterruptedException {
        try (DistributedLockFactory locks = DistributedLocks.getInstance("set-nx-px", LockConfig.of(args[0]))) {
            System.out.println(settle(locks, args[1]));
        }
    }

    static String settle(DistributedLockFactory locks, String invoice) throws InterruptedException {
        DistributedLock lock = locks.getLock("invoice:" + invoice);
        Optional<LockHandle> acquired = lock.tryAcquire(PATIENCE);
        if (acquired.isEmpty()) {
            return "invoice " + invoice + " is being settled elsewhere";
        }
        try (LockHandle handle = acquired.get()) {
            // A store that refuses tokens smaller than the last one it saw keeps late writers out.
            long token = handle.fencingToken().orElseThrow();
            return "invoice " + invoice + " settled with token " + token;
        }
    }
}
