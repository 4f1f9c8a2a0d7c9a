// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.peers.Property.Shown;
import dev.interlock.redis.inspect.PeerFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about wires says of each client what the tests of it run, and no more. */
class WiresPageTest {
    private static final Path PAGE = Path.of("../../docs/wires.md");
    private static final Path CLIENTS = Path.of("../../docs/wire-clients.md");

    /** The rows of the table behind a line, by their first cell, with its head; without the marks of code. */
    private static Map<String, List<String>> table(Path file, String line) throws IOException {
        List<String> page = Files.readAllLines(file);
        assertThat(page).contains(line);
        Map<String, List<String>> rows = new LinkedHashMap<>();
        page.stream()
                .skip(page.indexOf(line) + 1L)
                .dropWhile(row -> !row.startsWith("|"))
                .takeWhile(row -> row.startsWith("|"))
                .filter(row -> !row.startsWith("|--"))
                .map(row -> Arrays.stream(row.replace("`", "").split("\\|"))
                        .skip(1)
                        .map(String::strip)
                        .toList())
                .forEach(cells -> rows.put(cells.get(0), cells.subList(1, cells.size())));
        return rows;
    }

    private static String cell(PeerKind kind, Property property) {
        if (!kind.offers(property)) {
            return "not offered";
        }
        return property == Property.WAKE_UP ? kind.wakeUp.cell : "run";
    }

    @Test
    void eachCellIsWhatTheTestsOfItsClientRun() throws IOException {
        List<Property> properties = List.of(Property.values());
        Map<String, List<String>> expected = new LinkedHashMap<>();
        expected.put("", properties.stream().map(property -> property.title).toList());
        for (PeerKind kind : PeerKind.values()) {
            expected.put(
                    kind.title,
                    properties.stream().map(property -> cell(kind, property)).toList());
        }
        for (PeerFormat format : PeerFormat.values()) {
            if (!format.isRun()) {
                expected.put(
                        format.peer(),
                        properties.stream().map(property -> "not run").toList());
            }
        }
        assertThat(table(PAGE, "What was run, in both directions:")).containsExactlyEntriesOf(expected);
    }

    @Test
    void eachTestShowsAPropertyAndEachPropertyHasATest() {
        List<Property> shown = new ArrayList<>();
        Stream.of(PeersTest.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .forEach(method -> {
                    assertThat(method.isAnnotationPresent(Shown.class))
                            .as("%s says what it shows", method.getName())
                            .isTrue();
                    shown.addAll(List.of(method.getAnnotation(Shown.class).value()));
                });
        assertThat(shown).contains(Property.values());
    }

    @Test
    void aFormatIsCalledRunIfAClientThatWritesItRuns() {
        assertThat(Arrays.stream(PeerFormat.values()).filter(PeerFormat::isRun))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(PeerKind.values())
                        .map(kind -> kind.format)
                        .distinct()
                        .toList());
    }

    @Test
    void eachClientHasASectionThatSaysWhatTheToolSays() throws IOException {
        List<String> sections = Files.readAllLines(CLIENTS).stream()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .toList();
        assertThat(sections)
                .containsExactlyElementsOf(
                        Arrays.stream(PeerFormat.values()).map(PeerFormat::peer).toList());
        for (PeerFormat format : PeerFormat.values()) {
            Map<String, List<String>> said = table(CLIENTS, "## " + format.peer());
            String tested = said.getOrDefault("tested", List.of("")).get(0);
            assertThat(tested).as(format.peer()).startsWith(format.isRun() ? "run" : "by format, not run");
            Map<String, List<String>> expected = new LinkedHashMap<>();
            expected.put("", List.of(""));
            expected.put("key", List.of(format.key()));
            expected.put("value", List.of(format.value()));
            expected.put("time to live", List.of(format.lease()));
            expected.put("release", List.of(format.release()));
            expected.put("waiting", List.of(format.waiting()));
            expected.put("options of ours", List.of(format.setting()));
            expected.put("tested", List.of(tested));
            assertThat(said).containsExactlyEntriesOf(expected);
        }
    }

    @Test
    void theVersionsOnThePageAreThoseThatTheTestsAskFor() throws IOException {
        String pom = Files.readString(Path.of("../../pom.xml"));
        String node = Files.readString(Path.of("src/test/resources/dev/interlock/peers/package.json"));
        Map<PeerFormat, List<String>> versions = Map.of(
                PeerFormat.REDIS_PY, List.of(Interpreters.PYTHON_LIBRARY.replaceFirst(".*==", "")),
                PeerFormat.NODE_REDLOCK,
                        List.of(
                                found("\"redlock\": \"(.*?)\"", node),
                                found("npm:redlock@(.*?)\"", node),
                                found("\"redlock-universal\": \"(.*?)\"", node)),
                PeerFormat.SPRING_REGISTRY, List.of(found("<spring-integration.version>(.*?)<", pom)),
                PeerFormat.SHEDLOCK, List.of(found("<shedlock.version>(.*?)<", pom)),
                PeerFormat.LOCK4J, List.of(found("<lock4j.version>(.*?)<", pom)));
        for (PeerFormat format : PeerFormat.values()) {
            assertThat(table(CLIENTS, "## " + format.peer()).get("tested").get(0))
                    .contains(versions.getOrDefault(format, List.of("")));
        }
    }

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }
}
