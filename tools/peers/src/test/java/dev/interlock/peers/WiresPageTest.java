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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about wires says of each client what the tests of it run, and no more. */
class WiresPageTest {
    private static final Path PAGE = Path.of("../../docs/wires.md");

    /** The rows of the table behind a line, by their first cell, with its head; without the marks of code. */
    private static Map<String, List<String>> table(String line) throws IOException {
        List<String> page = Files.readAllLines(PAGE);
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
        expected.put("", properties.stream().map(Property::title).toList());
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
        assertThat(table("What was run, in both directions:")).containsExactlyEntriesOf(expected);
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
    void theTableOfClientsSaysWhichWereRun() throws IOException {
        Map<String, List<String>> clients = table("means that we have read its format and not run it.");
        for (PeerFormat format : PeerFormat.values()) {
            if (!format.isRun()) {
                assertThat(clients).containsKey(format.peer());
                assertThat(clients.get(format.peer())).last().asString().startsWith("by format");
            }
        }
        assertThat(clients.values().stream()
                        .filter(cells -> cells.get(cells.size() - 1).startsWith("run, ")))
                .hasSize((int) Arrays.stream(PeerKind.values())
                        .filter(kind -> kind.servers() == 1)
                        .count());
    }
}
