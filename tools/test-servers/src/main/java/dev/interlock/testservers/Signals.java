// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Stops and resumes processes of the same user. */
public final class Signals {
    private static final long POLL_NANOS = 2_000_000;

    private Signals() {}

    /**
     * Stops a process without ending it, and waits until it is stopped if the system shows that.
     *
     * @param pid the id of the process
     * @throws RedisServerException if it is not there
     */
    public static void stop(long pid) {
        send("STOP", pid);
        Path stat = Path.of("/proc/" + pid + "/stat");
        try {
            while (Files.exists(stat) && !Files.readString(stat).contains(") T ")) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        } catch (IOException e) {
            throw new RedisServerException("cannot see whether process " + pid + " stands still", e);
        }
    }

    /**
     * Resumes a stopped process. Has no effect on a running one.
     *
     * @param pid the id of the process
     * @throws RedisServerException if it is not there
     */
    public static void goOn(long pid) {
        send("CONT", pid);
    }

    private static void send(String name, long pid) {
        try {
            // Uses the kill that is built into the shell, because small images have no other.
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pid)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (kill.onExit().join().exitValue() != 0) {
                throw new RedisServerException("cannot send SIG" + name + " to process " + pid);
            }
        } catch (IOException e) {
            throw new RedisServerException("cannot send SIG" + name + " to process " + pid, e);
        }
    }
}
