// SPDX-License-Identifier: Apache-2.0
package dev.interlock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.DistributedLock;
import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page on observation shows Flight Recorder's events as the JDK's own tool prints them. */
class FlightRecorderPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "observation.md");
    private static final String PREFIX = "dev.interlock.";
    private static final List<String> SHOWN = List.of("Acquisition", "Renewal", "Hold", "Loss");
    private static final Pattern PRINTED = Pattern.compile("(?ms)^(dev\\.interlock\\.\\w+) \\{\\R(.*?)^}");
    private static final Pattern FIELD = Pattern.compile("(?m)^  (\\w+) = ");
    private static final Pattern CODE = Pattern.compile("`(\\w+)`");

    /** The fields of every event, from the JDK and from us. */
    private static final Set<String> COMMON =
            Set.of("startTime", "duration", "eventThread", "stackTrace", "lock", "strategy");

    private static MicrometerFixture backend;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        backend = new MicrometerFixture();
    }

    @AfterAll
    static void stop() {
        backend.close();
    }

    private Path record() throws IOException {
        try (Recording recording = new Recording()) {
            SHOWN.forEach(event -> recording.enable(PREFIX + event));
            recording.start();
            DistributedLock lock = backend.factory().getLock("invoice:42");
            lock.lock();
            lock.lease().orElseThrow().ensureValid(Duration.ofMinutes(5));
            lock.unlock();
            lock.lock();
            Lease lease = lock.lease().orElseThrow();
            backend.forget("invoice:42");
            assertThatThrownBy(() -> lease.ensureValid(Duration.ofMinutes(5))).isInstanceOf(LeaseLostException.class);
            recording.stop();
            Path file = folder.resolve("locks.jfr");
            recording.dump(file);
            return file;
        }
    }

    /** The fields of each event in the output of the tool; of several events of a name those of the first. */
    private static Map<String, Set<String>> printed(String output) {
        Map<String, Set<String>> events = new LinkedHashMap<>();
        PRINTED.matcher(output)
                .results()
                .forEach(event -> events.putIfAbsent(
                        event.group(1),
                        FIELD.matcher(event.group(2))
                                .results()
                                .map(field -> field.group(1))
                                .collect(Collectors.toCollection(TreeSet::new))));
        return events;
    }

    @Test
    void theOutputOnThePageHasTheEventsAndFieldsThatJfrPrints() throws Exception {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "jfr");
        assumeTrue(Files.isExecutable(tool), "absent: jfr: this runtime does not have it");
        Path output = folder.resolve("printed.txt");
        Process print = new ProcessBuilder(tool.toString(), "print", "--events", PREFIX + "*", record().toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(print.waitFor()).isZero();
        Map<String, Set<String>> printed = printed(Files.readString(output, StandardCharsets.UTF_8));
        // Recorded unless disabled; none is made here.
        printed.remove(PREFIX + "Outage");
        assertThat(printed.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        SHOWN.stream().map(event -> PREFIX + event).toList());
        assertThat(printed(Files.readString(PAGE))).containsExactlyInAnyOrderEntriesOf(printed);
    }

    @Test
    void theTableHasEachEventWithItsFieldsAndWhetherItIsRecordedByDefault() throws IOException {
        backend.factory().getLock("loads-the-events");
        Map<String, String> events = new TreeMap<>();
        for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
            if (type.getName().startsWith(PREFIX)) {
                events.put(
                        type.getName(),
                        isOnByDefault(type) ? "unless disabled " + fields(type) : "on request " + fields(type));
            }
        }
        Map<String, String> listed = new TreeMap<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("| `" + PREFIX)) {
                String[] cells = line.split("\\|");
                listed.put(
                        cells[1].strip().replace("`", ""),
                        cells[2].strip().replaceFirst(",.*", "") + " "
                                + CODE.matcher(cells[3])
                                        .results()
                                        .map(code -> code.group(1))
                                        .collect(Collectors.toCollection(TreeSet::new)));
            }
        }
        assertThat(listed).isEqualTo(events);
    }

    private static boolean isOnByDefault(EventType type) {
        return type.getSettingDescriptors().stream()
                .anyMatch(setting -> setting.getName().equals("enabled")
                        && setting.getDefaultValue().equals("true"));
    }

    private static Set<String> fields(EventType type) {
        Set<String> fields =
                type.getFields().stream().map(ValueDescriptor::getName).collect(Collectors.toCollection(TreeSet::new));
        fields.removeAll(COMMON);
        return fields;
    }
}
