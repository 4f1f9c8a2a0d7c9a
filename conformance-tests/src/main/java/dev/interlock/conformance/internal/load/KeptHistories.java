// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.load;

import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.history.KnossosEdn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInfo;

/** Keeps the histories that a rule judges, if {@value #PROPERTY} names a directory. */
public final class KeptHistories {
    public static final String PROPERTY = "interlock.conformance.histories";

    private final @Nullable Path directory;
    private final String name;
    private int count;

    public KeptHistories(@Nullable Path directory, String name) {
        this.directory = directory;
        this.name = name;
    }

    public static KeptHistories of(TestInfo test) {
        String directory = System.getProperty(PROPERTY);
        return new KeptHistories(
                directory == null ? null : Path.of(directory),
                test.getTestClass().orElseThrow().getSimpleName() + "."
                        + test.getTestMethod().orElseThrow().getName());
    }

    /** Writes a history as JSON lines, and that of each of its locks for Knossos. */
    public void keep(List<Event> history) {
        if (directory == null) {
            return;
        }
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write histories to " + directory, e);
        }
        count++;
        String file = name + "-" + count;
        JsonLines.write(directory.resolve(file + ".jsonl"), history);
        int number = 0;
        for (String lock : history.stream().map(Event::lock).distinct().toList()) {
            number++;
            KnossosEdn.write(directory.resolve(file + "." + number + ".edn"), history, lock);
        }
    }
}
