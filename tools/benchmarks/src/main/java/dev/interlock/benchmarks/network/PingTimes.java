// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import dev.interlock.testservers.RespConnection;
import dev.interlock.tools.backends.ToolException;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * The round-trip time of a {@code PING}, in microseconds, with nothing else going on.
 *
 * @param asked the round trip that was asked for
 * @param directMicros the median without a proxy
 * @param proxyMicros the median through the proxy without a delay
 * @param measured through the proxy with the delay
 */
public record PingTimes(Duration asked, double directMicros, double proxyMicros, Micros measured) {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|us|µs)");
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final Duration LONGEST = Duration.ofMillis(100);
    private static final int DIGITS = 3;
    private static final int LEAST_PINGS = 40;
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int PATIENCE_MILLIS = 30_000;

    /**
     * A distribution of times.
     *
     * @param p50 the median
     * @param p99 the time that 99 of 100 do not exceed
     */
    public record Micros(double p50, double p99) {}

    /** The round trip that was asked for, as the user writes it. */
    public String askedText() {
        return Setting.millis(asked);
    }

    /**
     * Reads a round trip as the user writes it.
     *
     * @param text a number with a unit
     * @return the time
     * @throws IllegalArgumentException if it cannot be used; the message says what to write instead
     */
    public static Duration parse(String text) {
        Matcher time = TIME.matcher(text.strip());
        if (!time.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is no time: write one such as 0.2ms, 1ms or 200us");
        }
        long unit = time.group(2).equals("ms") ? NANOS_PER_MILLI : NANOS_PER_MICRO;
        BigDecimal nanos = new BigDecimal(time.group(1)).multiply(BigDecimal.valueOf(unit));
        if (nanos.compareTo(BigDecimal.valueOf(LONGEST.toNanos())) > 0) {
            throw new IllegalArgumentException("\"" + text + "\" is more than " + Setting.millis(LONGEST)
                    + ", with which the scenarios do not come to an end");
        }
        return Duration.ofNanos(nanos.longValue());
    }

    /** Measures round trips to a port. */
    static Micros micros(int port) {
        Histogram nanos = new Histogram(DIGITS);
        try (RespConnection connection = new RespConnection("127.0.0.1", port, PATIENCE_MILLIS)) {
            connection.call("PING");
            long begin = System.nanoTime();
            while (nanos.getTotalCount() < LEAST_PINGS || System.nanoTime() - begin < LEAST_NANOS) {
                long from = System.nanoTime();
                connection.call("PING");
                nanos.recordValue(System.nanoTime() - from);
            }
        } catch (IOException e) {
            throw new ToolException("round trips could not be measured: " + e.getMessage(), e);
        }
        return new Micros(nanos.getValueAtPercentile(50) / 1e3, nanos.getValueAtPercentile(99) / 1e3);
    }
}
