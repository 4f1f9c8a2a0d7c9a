// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Stops and continues other processes, on systems that have signals for it. The servers for tests have the same for
 * themselves, since the kit runs without them.
 */
public final class PosixSignals {
    private static final Path SHELL = Path.of("/bin/sh");

    /** The end of a thread's name, and its state. */
    private static final Pattern STOPPED_OR_ENDED = Pattern.compile("\\) [TtZX] ");

    private static final int LOOKS_BEFORE_ANOTHER = 1000;

    private static final long POLL_NANOS = 1_000_000;

    private PosixSignals() {}

    /**
     * Returns whether this system has signals.
     *
     * @return whether {@link #stop} and {@link #goOn} can work
     */
    public static boolean available() {
        return Files.isExecutable(SHELL);
    }

    /**
     * Stops a process without ending it, and waits until none of its threads runs if the system shows that.
     *
     * @param pid the process
     */
    public static void stop(long pid) {
        send("STOP", pid);
        // The signal goes to one thread, and until that is scheduled, perhaps late on a busy machine, all others run.
        for (int looks = 1; !standsStill(Path.of("/proc/" + pid + "/task")); looks++) {
            LockSupport.parkNanos(POLL_NANOS);
            if (looks % LOOKS_BEFORE_ANOTHER == 0) {
                // Somebody has continued it meanwhile.
                send("STOP", pid);
            }
        }
    }

    /** Returns whether all threads are stopped; true for a process that has ended and where the system shows none. */
    private static boolean standsStill(Path threads) {
        if (!Files.isDirectory(threads)) {
            return true;
        }
        // The name of a thread is cut to 15 bytes, perhaps within a character of UTF-8.
        try (Stream<Path> all = Files.list(threads)) {
            for (Path thread : all.toList()) {
                if (!STOPPED_OR_ENDED
                        .matcher(Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1))
                        .find()) {
                    return false;
                }
            }
            return true;
        } catch (IOException | UncheckedIOException e) {
            // A thread has ended meanwhile, or the process has.
            return !Files.isDirectory(threads);
        }
    }

    /**
     * Continues a process that was stopped. Has no effect on a running one.
     *
     * @param pid the process
     */
    public static void goOn(long pid) {
        send("CONT", pid);
    }

    private static void send(String name, long pid) {
        try {
            // Uses the shell's built-in kill, since small images have no other.
            Process kill = new ProcessBuilder(SHELL.toString(), "-c", "kill -" + name + " " + pid)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (kill.onExit().join().exitValue() != 0) {
                throw new AssertionError("cannot send SIG" + name + " to process " + pid);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send SIG" + name, e);
        }
    }
}
