// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A JVM of its own that takes a lock, says so, and holds it until it is killed. */
final class HolderProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private HolderProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public static void main(String[] args) {
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
        System.out.println("held " + lock.lease().orElseThrow().fencingToken().orElseThrow());
        while (true) {
            LockSupport.park();
        }
    }

    static HolderProcess start(String classPath, String uri, String name, Duration lease) throws IOException {
        return new HolderProcess(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        HolderProcess.class.getName(),
                        uri,
                        name,
                        lease.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Waits until the lock is held, and returns the fencing token. */
    long awaitHeld() throws IOException {
        String line = output.readLine();
        if (line == null || !line.startsWith("held ")) {
            throw new IllegalStateException("the holder said: " + line);
        }
        return Long.parseLong(line.substring("held ".length()));
    }

    /** Ends the process without giving it a chance to do anything. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Makes the process stand still. */
    void stop() throws IOException {
        signal("STOP");
    }

    /** Lets a process that stands still go on. */
    void goOn() throws IOException {
        signal("CONT");
    }

    private void signal(String name) throws IOException {
        // The shell's own kill, because small images have no other.
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + process.pid()).start();
        if (kill.onExit().join().exitValue() != 0) {
            throw new IllegalStateException("cannot send SIG" + name);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
