// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events that Flight Recorder records by default, and those that it records on request. */
class FlightRecorderEventsTest {
    private static final LockBackendException FAILURE =
            new LockBackendException(LockBackendException.Reason.UNREACHABLE, "no server");

    private final Observer observer = Observer.of(List.of(), new TestHost().host(), "memory");

    @TempDir
    Path folder;

    private void each() {
        observer.requested("a");
        observer.queueLength("a", 3);
        observer.acquired("a", 5_000, 2, true, OptionalLong.of(7));
        observer.acquired("b", 6_000, 1, false, OptionalLong.empty());
        observer.renewed("a", 11_000, Duration.ofSeconds(13));
        observer.renewalFailed("a", FAILURE);
        observer.lost("a", LossCause.GONE, 17_000);
        observer.released("b", 19_000);
        observer.outageBegan("c", FAILURE);
        observer.outageEnded("c", 23_000);
    }

    private List<RecordedEvent> stop(Recording recording) throws IOException {
        recording.stop();
        Path file = folder.resolve("test.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("dev.interlock."))
                .toList();
    }

    private static List<String> lines(List<RecordedEvent> events) {
        return events.stream().map(FlightRecorderEventsTest::line).toList();
    }

    private static String line(RecordedEvent event) {
        StringBuilder line = new StringBuilder(event.getEventType().getName().substring("dev.interlock.".length()));
        event.getFields().stream()
                .filter(field -> !List.of("startTime", "duration", "eventThread", "stackTrace")
                        .contains(field.getName()))
                .forEach(field -> line.append(' ')
                        .append(field.getName())
                        .append('=')
                        .append(
                                field.getContentType() == null
                                        ? event.<Object>getValue(field.getName())
                                        : event.getDuration(field.getName())));
        return line.toString();
    }

    @Test
    void aRecordingThatAsksForAllEventsHasEachWithItsFigures() throws IOException {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            for (String name : List.of("Acquisition", "Hold", "Renewal", "Loss", "Outage")) {
                recording.enable("dev.interlock." + name);
            }
            recording.start();
            assertThat(observer.isOn()).isTrue();
            each();
            events = stop(recording);
        }
        assertThat(observer.isOn()).as("after the recording").isFalse();

        String unknown = Duration.ofSeconds(Long.MIN_VALUE).toString();
        assertThat(lines(events))
                .containsExactly(
                        "Acquisition waited=PT0.000005S attempts=2 local=true fencingToken=7 lock=a strategy=memory",
                        "Acquisition waited=PT0.000006S attempts=1 local=false fencingToken=0 lock=b strategy=memory",
                        "Renewal succeeded=true took=PT0.000011S remaining=PT13S failure=null lock=a strategy=memory",
                        "Renewal succeeded=false took=" + unknown + " remaining=" + unknown
                                + " failure=no server lock=a strategy=memory",
                        "Loss cause=GONE held=PT0.000017S lock=a strategy=memory",
                        "Hold held=PT0.000019S lock=b strategy=memory",
                        "Outage over=false lasted=" + unknown + " failure=no server lock=c strategy=memory",
                        "Outage over=true lasted=PT0.000023S failure=null lock=c strategy=memory");
        assertThat(events)
                .allSatisfy(event -> assertThat(event.getThread().getJavaThreadId())
                        .isEqualTo(Thread.currentThread().getId()));
        assertThat(events.get(0).getStackTrace().getFrames())
                .as("who acquired it")
                .anyMatch(frame -> frame.getMethod().getName().equals("each"));
        assertThat(events.get(4).getStackTrace()).isNull();
    }

    @Test
    void aRecordingThatAsksForNothingHasLossesAndOutagesAlone() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            each();
            assertThat(stop(recording).stream()
                            .map(event -> event.getEventType().getName()))
                    .containsExactly("dev.interlock.Loss", "dev.interlock.Outage", "dev.interlock.Outage");
        }
    }

    @Test
    void aRecordingThatWantsNoneOfTheEventsLeavesTheObserverOff() {
        try (Recording recording = new Recording()) {
            recording.disable("dev.interlock.Loss");
            recording.disable("dev.interlock.Outage");
            recording.start();
            assertThat(observer.isOn()).isFalse();
        }
    }

    @Test
    void eventsAndFieldsHaveLabels() throws IOException {
        try (Recording recording = new Recording()) {
            recording.enable("dev.interlock.Acquisition");
            recording.start();
            each();
            assertThat(stop(recording)).isNotEmpty().allSatisfy(event -> {
                assertThat(event.getEventType().getLabel()).isNotBlank();
                assertThat(event.getEventType().getDescription()).isNotBlank();
                assertThat(event.getEventType().getCategoryNames()).containsExactly("Interlock");
                assertThat(event.getFields())
                        .allSatisfy(field -> assertThat(field.getLabel()).isNotBlank());
            });
        }
    }

    @Test
    void aRuntimeWithoutFlightRecorderRecordsNothingAndStillCallsListeners() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--limit-modules",
                        "java.base",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WithoutFlightRecorderMain.class.getName())
                .redirectErrorStream(true)
                .start();
        child.getOutputStream().close();
        String output = new String(child.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(output).isZero();
        assertThat(output.strip())
                .isEqualTo("jdk.jfr false, on without listener false, heard Requested[strategy=memory, lockName=a]");
    }
}
