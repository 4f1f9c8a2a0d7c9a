// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.process;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.setnxpx.Fixture;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ParentJvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** A JVM of its own that takes a lock, says so, and holds it until it is killed. */
final class HolderProcess implements AutoCloseable {
    private static final String HELD = "held ";

    private final CompletableFuture<String> said = new CompletableFuture<>();
    private final ChildJvm child;

    private HolderProcess(String classPath, List<String> arguments) {
        child = ChildJvm.start(
                classPath,
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                HolderProcess.class,
                arguments,
                said::complete,
                () -> said.complete("nothing"));
    }

    public static void main(String[] args) {
        ParentJvm parent = ParentJvm.ofThisProcess();
        parent.follow(line -> {});
        DistributedLockFactory factory = DistributedLocks.getInstance(
                "set-nx-px",
                LockConfig.builder()
                        .endpoints(args[0])
                        .commandTimeout(Fixture.PATIENCE)
                        .build());
        Fixture.warmUp(factory);
        DistributedLock lock = factory.getLock(
                args[1], LockOptions.builder().lease(Duration.parse(args[2])).build());
        lock.lock();
        parent.say(HELD + lock.lease().orElseThrow().fencingToken().orElseThrow());
        while (true) {
            LockSupport.park();
        }
    }

    static HolderProcess start(String classPath, String uri, String name, Duration lease) {
        return new HolderProcess(classPath, List.of(uri, name, lease.toString()));
    }

    /** Waits until the lock is held, and returns the fencing token. */
    long awaitHeld() {
        String line = said.join();
        if (!line.startsWith(HELD)) {
            throw child.failed("said " + line);
        }
        return Long.parseLong(line.substring(HELD.length()));
    }

    /** Ends the process without giving it a chance to do anything. */
    void kill() {
        child.close();
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
        kill();
    }
}
