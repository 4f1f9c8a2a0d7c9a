// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.coldstart;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.testservers.ParentJvm;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;

/** A child JVM that creates a factory, acquires one lock with the default time-outs, and reports the outcome. */
final class FirstLockProcess {
    static final String LOCKED = "locked ";

    private FirstLockProcess() {}

    public static void main(String[] args) {
        ParentJvm parent = ParentJvm.ofThisProcess();
        parent.follow(line -> {});
        LockConfig.Builder config = LockConfig.builder().endpoints(args[1]);
        for (int i = 2; i < args.length; i++) {
            String[] option = args[i].split("=", 2);
            config.option(option[0], option[1]);
        }
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        try (DistributedLockFactory factory = DistributedLocks.getInstance(args[0], config.build())) {
            DistributedLock lock = factory.getLock("first");
            long before = classes.getTotalLoadedClassCount();
            long begin = System.nanoTime();
            lock.lock();
            long millis = (System.nanoTime() - begin) / 1_000_000;
            long loaded = classes.getTotalLoadedClassCount() - before;
            lock.unlock();
            parent.say(LOCKED + loaded + " " + millis);
        } catch (LockBackendException e) {
            parent.say("failed " + e.getMessage());
        }
    }
}
