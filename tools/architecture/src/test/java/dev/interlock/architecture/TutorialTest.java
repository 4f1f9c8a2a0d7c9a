// SPDX-License-Identifier: Apache-2.0
package dev.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testservers.RedisServer;
import dev.interlock.tools.site.CodeBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the tutorial does what the tutorial says, started as the tutorial starts it. */
@Tag("deep")
class TutorialTest {
    private static final Pattern BEGIN = Pattern.compile("(\\w) begins page \\d, fencing token (\\d+)");

    @TempDir
    Path directory;

    @Test
    void pagesOfTwoProcessesDoNotMixAndTheirFencingTokensGrow() throws Exception {
        String program = CodeBlock.all(BuildFiles.ROOT).stream()
                .filter(block -> block.page().equals("docs/tutorial.md")
                        && block.language().equals("java"))
                .findFirst()
                .orElseThrow()
                .text();
        Files.writeString(directory.resolve("Printer.java"), program);
        try (RedisServer server = RedisServer.start()) {
            Process a = start("A", server);
            Process b = start("B", server);
            assertThat(a.waitFor(2, TimeUnit.MINUTES) && b.waitFor(2, TimeUnit.MINUTES))
                    .as("both have ended")
                    .isTrue();
            assertThat(List.of(a.exitValue(), b.exitValue())).as("exit codes").containsExactly(0, 0);
        }
        List<String> log = Files.readAllLines(directory.resolve("log"));
        assertThat(log).hasSize(12);
        long last = 0;
        for (int i = 0; i < log.size(); i += 2) {
            Matcher begin = BEGIN.matcher(log.get(i));
            assertThat(begin.matches()).as(log.toString()).isTrue();
            assertThat(log.get(i + 1)).startsWith(begin.group(1) + " ends page ");
            assertThat(Long.parseLong(begin.group(2))).as(log.toString()).isGreaterThan(last);
            last = Long.parseLong(begin.group(2));
        }
    }

    /** Starts the program. Both append to one file, so that its lines are in the order in which they were written. */
    private Process start(String name, RedisServer server) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "Printer.java",
                        name,
                        server.uri())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
    }
}
