// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios.fresh;

import dev.interlock.testservers.ChildJvm;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM that is started to measure how long something takes in it. It ends with this JVM at the latest. */
public final class FreshJvm {
    /** The line that its program writes when it is done. */
    static final String DONE = "done";

    private FreshJvm() {}

    /** Starts a program, and returns how long it takes until it says that it is done; it is ended then. */
    public static double millisUntilDone(String classPath, Class<?> main, List<String> arguments, Duration patience) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        long[] doneAt = new long[1];
        long from = System.nanoTime();
        try (ChildJvm child = ChildJvm.start(
                classPath,
                List.of(),
                main,
                arguments,
                line -> {
                    // Libraries may print lines of their own before.
                    if (line.equals(DONE)) {
                        doneAt[0] = System.nanoTime();
                        done.complete(true);
                    }
                },
                () -> done.complete(false))) {
            if (!done.get(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw child.failed("ended before its first lock");
            }
            return (doneAt[0] - from) / 1e6;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (TimeoutException e) {
            throw new ToolException("a fresh JVM had no lock after " + patience.toSeconds() + " seconds", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }
}
