// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.measure;

import dev.interlock.testservers.ChildJvm;
import dev.interlock.testservers.ChildJvmException;
import dev.interlock.tools.backends.ToolException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A child JVM that is told what to do line by line, and whose answers are waited for. */
final class ChildLines implements AutoCloseable {
    private static final String END_OF_OUTPUT = "";

    private final BlockingQueue<String> stdout = new LinkedBlockingQueue<>();
    private final ChildJvm child;

    ChildLines(List<String> jvmOptions, Class<?> main) {
        child = ChildJvm.start(jvmOptions, main, List.of(), stdout::add, () -> stdout.add(END_OF_OUTPUT));
    }

    void say(String line) {
        child.say(line);
    }

    /** Waits for the next line that it says. */
    String next(Duration limit) {
        @Nullable String line;
        try {
            line = stdout.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
        if (line == null) {
            throw child.failed("said nothing for " + limit.toSeconds() + " seconds");
        }
        if (line.equals(END_OF_OUTPUT)) {
            throw child.failed("ended too early");
        }
        return line;
    }

    /** Waits for the next line, which is a number. */
    long nextNumber(Duration limit) {
        String line = next(limit);
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException e) {
            throw unexpected(line);
        }
    }

    ChildJvmException unexpected(String line) {
        return child.failed("said \"" + line + "\"");
    }

    /** Ends its standard input, as the end of this JVM would. */
    void hangUp() throws IOException {
        child.hangUp();
    }

    /** Waits for the end of the process, and returns whether it came in time. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return child.awaitEnd(limit);
    }

    /** Ends the process if it has not ended, and waits for its end. */
    @Override
    public void close() {
        child.close();
    }
}
