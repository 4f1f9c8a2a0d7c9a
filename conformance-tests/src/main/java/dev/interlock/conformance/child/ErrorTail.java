// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.child;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The last lines that a process wrote to its standard error. A thread reads the stream all the time, so that the
 * process never blocks.
 */
final class ErrorTail {
    private static final int LINES = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Deque<String> lines = new ArrayDeque<>();
    private final Thread reader;

    ErrorTail(InputStream errors) {
        reader = new Thread(() -> read(errors), "conformance-standard-error");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream errors) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(errors, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                keep(line);
            }
        } catch (IOException e) {
            keep("the standard error could not be read: " + e);
        }
    }

    private void keep(String line) {
        synchronized (lines) {
            lines.add(line);
            if (lines.size() > LINES) {
                lines.remove();
            }
        }
    }

    /** Waits a little for the last lines of a process that has just ended. */
    String text() {
        try {
            reader.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (lines) {
            return lines.isEmpty() ? "" : "\nIts standard error ended with:\n" + String.join("\n", lines);
        }
    }
}
