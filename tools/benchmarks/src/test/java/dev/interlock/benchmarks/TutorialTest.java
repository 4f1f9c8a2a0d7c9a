// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.tools.site.CodeBlock;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the tutorial tells the reader to do has the effect that it says. The commands are those of the page, with
 * another port; those in {@link #BY_THIS_BUILD} are left out.
 */
@Tag("deep")
class TutorialTest {
    /** They build Interlock and copy its libraries: this build has done the one, and the test does the other. */
    private static final List<String> BY_THIS_BUILD = List.of(
            "git clone https://github.com/interlock-locks/interlock.git",
            "cd interlock",
            "mvn -B -q -DskipTests install",
            "./interlock strategies",
            "mvn -B -q dependency:copy-dependencies -DoutputDirectory=lib");

    private static final Pattern BEGIN = Pattern.compile("(\\w) begins page \\d, fencing token (\\d+)");
    private static final String PORT = "6379";

    @TempDir
    Path directory;

    private final List<CodeBlock> blocks = new ArrayList<>();
    private final int port = freePort();

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The only block that has a text, with the port of this test. */
    private String block(String language, String part) {
        List<CodeBlock> found = blocks.stream()
                .filter(block ->
                        block.language().equals(language) && block.text().contains(part))
                .toList();
        assertThat(found).as(language + " with " + part).hasSize(1);
        blocks.remove(found.get(0));
        return found.get(0).text().replace(PORT, String.valueOf(port));
    }

    @Test
    void pagesOfTwoProcessesDoNotMixAndTheirFencingTokensGrow() throws Exception {
        CodeBlock.all(Path.of("../..")).stream()
                .filter(block -> block.page().equals("docs/tutorial.md"))
                .filter(block -> !block.language().equals(CodeBlock.SPAN))
                .forEach(blocks::add);
        PageShell shell = new PageShell(directory);
        List<String> leftOut = new ArrayList<>(block("sh", "git clone").lines().toList());

        Process server = shell.start(block("sh", "redis-server"), directory);
        try {
            awaitServer(server);
            BufferedReader made =
                    shell.start(block("sh", "mkdir") + "pwd", directory).inputReader();
            Path printer = Path.of(made.readLine());
            assertThat(printer).isEqualTo(directory.toRealPath().resolve("printer"));
            Files.writeString(printer.resolve("pom.xml"), block("xml", "interlock-strategy-set-nx-px"));
            Files.writeString(printer.resolve("Printer.java"), block("java", "class Printer"));
            leftOut.addAll(block("sh", "copy-dependencies").lines().toList());
            PageShell.fetchLibraries(printer);

            Process both = shell.start(block("sh", "Printer.java A &") + "wait", printer);
            List<String> log = both.inputReader().lines().toList();
            assertThat(both.waitFor(2, TimeUnit.MINUTES)).as("both have ended").isTrue();
            assertThat(both.exitValue()).as(log.toString()).isZero();
            assertTakeTurns(log);

            Process longer = shell.start(block("sh", "Printer.java A 100") + "wait", printer);
            try {
                assertThat(longer.inputReader().readLine()).contains("begins page 1");
                PageShell.Outcome shown = shell.run(block("sh", "locks show"), "");
                assertThat(shown.exit()).as(shown.text()).isZero();
                assertThat(shown.text()).contains("held by", "lease left", "waiting");
            } finally {
                PageShell.end(longer);
            }
        } finally {
            PageShell.end(server);
        }
        assertThat(leftOut).as("commands that are not run").containsExactlyElementsOf(BY_THIS_BUILD);
        assertThat(blocks)
                .as("what remains of the page")
                .extracting(CodeBlock::language)
                .containsExactly("text");
    }

    private void awaitServer(Process server) {
        await("a server at port " + port).atMost(Duration.ofMinutes(1)).until(() -> {
            assertThat(server.isAlive()).as("the server runs").isTrue();
            return isListening();
        });
    }

    private boolean isListening() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static void assertTakeTurns(List<String> log) {
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
}
