// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import dev.interlock.tools.backends.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets a process run on one core alone, by {@code taskset}, which Linux has. */
final class OneCore {
    /** The last number of a list such as {@code 0,2-5}. */
    private static final Pattern LAST = Pattern.compile("(\\d+)\\s*$");

    private OneCore() {}

    /**
     * Lets a process, with all of its threads and all processes that it starts from now on, run on one core alone: the
     * last of those that it may use, since devices often interrupt the first.
     *
     * @param pid the process
     * @throws ToolException if this machine cannot do that
     */
    static void pin(long pid) {
        String cores = run(List.of("taskset", "-cp", Long.toString(pid)));
        Matcher last = LAST.matcher(cores);
        if (!last.find()) {
            throw new ToolException("taskset names no cores, but answers: " + cores);
        }
        run(List.of("taskset", "-acp", last.group(1), Long.toString(pid)));
    }

    private static String run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new ToolException(String.join(" ", command) + " failed: " + answer);
            }
            return answer;
        } catch (IOException e) {
            throw new ToolException("this needs taskset, which this machine does not have: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }
}
