// SPDX-License-Identifier: Apache-2.0
package dev.interlock.springintegration;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockOptions;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ParentJvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.springframework.integration.support.locks.LockRegistry;

/** A candidate for leadership in a JVM of its own, which reports each heart beat and its outcome. */
final class LeaderProcess implements AutoCloseable {
    static final String BEAT = "beat";
    static final String HOLDS = "holds";
    static final String HOLDS_NOT = "holds not";
    static final String THREW = "threw";
    static final String GRANTED = "granted";
    static final String REVOKED = "revoked";

    final List<String> said = new CopyOnWriteArrayList<>();
    private final ChildJvm child;

    LeaderProcess(String uri, String role, Duration lease) {
        child = ChildJvm.start(
                List.of(), LeaderProcess.class, List.of(uri, role, lease.toString()), said::add, () -> said.add("end"));
    }

    public static void main(String[] args) {
        ParentJvm parent = ParentJvm.ofThisProcess();
        parent.follow(line -> {});
        DistributedLockFactory factory = RegistryFixture.connect(args[0]);
        LockOptions options =
                LockOptions.builder().lease(Duration.parse(args[2])).build();
        InterlockLockRegistry registry = new InterlockLockRegistry(factory, "orders", options);
        LockRegistry<Lock> reporting = key -> new ReportingLock(registry.obtain(key), parent);
        new LeaderCandidate(reporting, args[1], Duration.ofMillis(100), leads -> parent.say(leads ? GRANTED : REVOKED));
        while (true) {
            LockSupport.park();
        }
    }

    /** Makes the process stand still. */
    void stop() {
        child.stop();
    }

    /** Lets a process that stands still go on. */
    void goOn() {
        child.goOn();
    }

    @Override
    public void close() {
        child.close();
    }

    private record ReportingLock(Lock held, ParentJvm parent) implements Lock {
        @Override
        public void lock() {
            held.lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            held.lockInterruptibly();
        }

        @Override
        public boolean tryLock() {
            return held.tryLock();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            parent.say(BEAT);
            String outcome = THREW;
            try {
                boolean holds = held.tryLock(time, unit);
                outcome = holds ? HOLDS : HOLDS_NOT;
                return holds;
            } finally {
                parent.say(outcome);
            }
        }

        @Override
        public void unlock() {
            held.unlock();
        }

        @Override
        public Condition newCondition() {
            return held.newCondition();
        }
    }
}
