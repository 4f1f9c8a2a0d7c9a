// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Signals to other processes, on systems that have them. */
public final class PosixSignals {
    private static final Path SHELL = Path.of("/bin/sh");

    private PosixSignals() {}

    /**
     * Returns whether this system has signals.
     *
     * @return whether {@link #send} can work
     */
    public static boolean available() {
        return Files.isExecutable(SHELL);
    }

    /**
     * Sends a signal.
     *
     * @param name the name of the signal, such as {@code STOP}
     * @param pid the process that gets it
     */
    public static void send(String name, long pid) {
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
