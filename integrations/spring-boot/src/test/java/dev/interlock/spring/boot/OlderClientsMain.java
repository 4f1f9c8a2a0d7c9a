// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import java.time.Duration;
import java.util.Arrays;

/** Locks once, and says so. Its arguments are a strategy, its endpoints, and options as {@code name=value}. */
final class OlderClientsMain {
    static final String LOCKED = "locked";

    private OlderClientsMain() {}

    public static void main(String[] args) {
        LockConfig.Builder config = LockConfig.builder().endpoints(args[1]).commandTimeout(Duration.ofSeconds(30));
        Arrays.stream(args).skip(2).map(option -> option.split("=")).forEach(it -> config.option(it[0], it[1]));
        String said;
        try (DistributedLockFactory locks = DistributedLocks.getInstance(args[0], config.build())) {
            DistributedLock lock = locks.getLock("older clients");
            lock.lock();
            lock.unlock();
            said = LOCKED;
        } catch (RuntimeException | LinkageError e) {
            said = e.toString();
        }
        System.out.println(said);
    }
}
