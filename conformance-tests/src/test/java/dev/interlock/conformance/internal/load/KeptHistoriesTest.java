// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.conformance.history.Event;
import dev.interlock.conformance.history.Event.Op;
import dev.interlock.conformance.history.JsonLines;
import dev.interlock.conformance.history.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptHistoriesTest {
    @TempDir
    Path directory;

    private static List<Event> history(String... locks) {
        Recorder recorder = new Recorder();
        for (String lock : locks) {
            recorder.invoke("p", Op.ACQUIRE, lock);
            recorder.acquired(System.nanoTime(), "p", lock, OptionalLong.of(5), OptionalLong.empty());
        }
        return recorder.events();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void eachHistoryIsKeptInBothFormsAndEachLockApartForKnossos() throws IOException {
        KeptHistories kept = new KeptHistories(directory, "Rules.rule");
        List<Event> first = history("a", "b");
        kept.keep(first);
        kept.keep(history("c"));
        assertThat(files())
                .containsExactly(
                        "Rules.rule-1.1.edn",
                        "Rules.rule-1.2.edn",
                        "Rules.rule-1.jsonl",
                        "Rules.rule-2.1.edn",
                        "Rules.rule-2.jsonl");
        assertThat(JsonLines.read(directory.resolve("Rules.rule-1.jsonl"))).isEqualTo(first);
    }

    @Test
    void nothingIsKeptUnlessAsked() throws IOException {
        new KeptHistories(null, "Rules.rule").keep(history("a"));
        assertThat(files()).isEmpty();
    }
}
