// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever waits for many seeds sees how many have been run. */
class SeedProgressTest {
    private final StringWriter err = new StringWriter();

    @AfterEach
    void forget() {
        System.clearProperty(SeedProgress.PROPERTY);
    }

    @Test
    void thereIsALineEveryTenSecondsWhereThereIsNoTerminal() {
        AtomicLong seconds = new AtomicLong();
        try (SeedProgress progress =
                new SeedProgress.Lines(new PrintWriter(err), 100, () -> TimeUnit.SECONDS.toNanos(seconds.get()))) {
            for (int i = 0; i < 25; i++) {
                seconds.incrementAndGet();
                progress.ran();
            }
        }

        assertThat(err.toString().lines()).containsExactly("[10/100] 1 seeds/s", "[20/100] 1 seeds/s");
    }

    @Test
    void thereIsABarOnATerminal() {
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        try (SeedProgress progress =
                new SeedProgress.Bar(new PrintStream(terminal, true, StandardCharsets.UTF_8), 100)) {
            for (int i = 0; i < 25; i++) {
                progress.ran();
            }
        }

        assertThat(terminal.toString(StandardCharsets.UTF_8)).contains("simulate", " 25%", "25/100");
    }

    @Test
    void theLauncherSaysWhetherThereIsATerminal() {
        try (SeedProgress lines = SeedProgress.on(new PrintWriter(err), 1)) {
            assertThat(lines).isInstanceOf(SeedProgress.Lines.class);
        }
        System.setProperty(SeedProgress.PROPERTY, "bar");
        PrintStream terminal = System.err;
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        try (SeedProgress bar = SeedProgress.on(new PrintWriter(err), 1)) {
            assertThat(bar).isInstanceOf(SeedProgress.Bar.class);
        } finally {
            System.setErr(terminal);
        }
    }
}
