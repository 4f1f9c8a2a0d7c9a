// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.conformance.history.Event.Op;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonLinesTest {
    private static final String STRANGE = "a \"b\" \\ {c},\n\t\r\u0000 ü \uD83D\uDD12 \uD800 \u2028";

    @TempDir
    Path directory;

    private static void record(Recorder recorder) {
        recorder.invoke("p", Op.ACQUIRE, STRANGE);
        recorder.acquired(System.nanoTime(), "p", STRANGE, OptionalLong.of(5), OptionalLong.of(1000));
        recorder.invoke("p", Op.RELEASE, STRANGE);
        recorder.unknown("p", Op.RELEASE, STRANGE, new IllegalStateException("not for everybody's eyes"));
        recorder.invoke("p", Op.RELEASE, STRANGE);
        recorder.failed("p", Op.RELEASE, STRANGE, new IllegalMonitorStateException());
        recorder.invoke("p", Op.ACQUIRE, STRANGE);
        recorder.failed("p", Op.ACQUIRE, STRANGE);
        recorder.lost(-1, "p", STRANGE, OptionalLong.empty());
        recorder.invoke("p", Op.RELEASE, STRANGE);
        recorder.released("p", STRANGE);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        Recorder recorder = new Recorder();
        record(recorder);
        Path file = directory.resolve("history.jsonl");
        JsonLines.write(file, recorder.events());
        assertThat(JsonLines.read(file)).isEqualTo(recorder.events()).hasSize(11);
    }

    @Test
    void aRecorderWritesEachEventAtOnce() throws IOException {
        Path file = directory.resolve("history.jsonl");
        try (Recorder recorder = Recorder.toFile(file)) {
            record(recorder);
            assertThat(JsonLines.read(file)).isEqualTo(recorder.events());
        }
        assertThat(Files.readString(file)).doesNotContain("everybody");
    }

    @Test
    void anEventIsOneFlatLine() {
        Event event = Story.of("p acquire 1-2 fence 5 valid 10").get(1);
        assertThat(JsonLines.format(event))
                .isEqualTo(
                        "{\"sequence\":1,\"nanos\":2,\"process\":\"p\",\"type\":\"OK\",\"op\":\"ACQUIRE\",\"lock\":\"a\","
                                + "\"fence\":5,\"validNanos\":10}");
    }

    @Test
    void keysMayComeInAnyOrder() {
        assertThat(
                        JsonLines.parse(
                                "{\"op\":\"LOST\",\"lock\":\"a\",\"type\":\"OK\",\"process\":\"p\",\"nanos\":-7,\"sequence\":3}"))
                .isEqualTo(new Event(
                        3,
                        -7,
                        "p",
                        Event.Type.OK,
                        Op.LOST,
                        "a",
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
                    ''                                     | at column 1: '{' is needed
                    {"sequence":1                          | at column 14: '}' is needed
                    {"sequence":}                          | at column 13: a text or a whole number is needed
                    {"sequence":1.5}                       | at column 14: '}' is needed
                    {"sequence":99999999999999999999}      | at column 13: a text or a whole number is needed
                    {"sequence":"1"}                       | "sequence" must be a number
                    {"sequence":1,"sequence":2}            | "sequence" is there twice
                    {"sequence":1,"nanos":2}               | "process" is missing
                    {"sequence":1,"nanos":2,"process":3}   | "process" must be a text
                    {"sequence":1,"nanos":2,"process":"p   | at column 37: the end of a text is needed
                    {"sequence":1,"nanos":2,"process":"\\x"} | at column 38: one of \\" \\\\ \\uXXXX is needed
                    {"sequence":1,"nanos":2,"process":"p","type":"OK","op":"ACQUIRE","lock":"a","token":"t"} | there is no "token" in an event
                    {"sequence":1,"nanos":2,"process":"p","type":"GOOD","op":"ACQUIRE","lock":"a"} | "type" is "GOOD": one of [INVOKE, OK, FAIL, UNKNOWN] is needed
                    {"sequence":1,"nanos":2,"process":"p","type":"OK","op":"ACQUIRE","lock":"a"}} | at column 77: the end of the line is needed
                    """)
    void aMalformedLineIsNamedWithWhatIsWrong(String line, String message) throws IOException {
        Path file = directory.resolve("history.jsonl");
        Files.write(file, List.of(JsonLines.format(Story.of("p acquire 1-?").get(0)), line));
        assertThatThrownBy(() -> JsonLines.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(file + ", line 2: " + message);
    }
}
