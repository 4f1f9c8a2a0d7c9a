// SPDX-License-Identifier: Apache-2.0
package com.example.orders;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockHandle;
import java.util.Optional;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/** Keeps the keys of the warehouse while the application runs, if no other instance has them. */
@Component
class Warehouse implements ApplicationRunner {
    private final DistributedLockFactory locks;
    private Optional<LockHandle> keys = Optional.empty();

    Warehouse(DistributedLockFactory locks) {
        this.locks = locks;
    }

    @Override
    public void run(ApplicationArguments args) {
        keys = locks.getLock("warehouse").tryAcquire();
    }

    boolean isOurs() {
        return keys.isPresent() && keys.get().isValid();
    }
}
