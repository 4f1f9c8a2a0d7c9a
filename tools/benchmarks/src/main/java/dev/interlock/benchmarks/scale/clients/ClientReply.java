// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale.clients;

import dev.interlock.tools.backends.ToolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** The report of a client's JVM about an order that it has carried out: figures by name, as one line of text. */
public final class ClientReply {
    private static final String DONE = "scale-done";
    private static final String FAILED = "scale-failed";

    private final Map<String, String> values = new LinkedHashMap<>();

    /** Returns the line that reports a failure. */
    static ClientReply failed(String message) {
        ClientReply reply = new ClientReply();
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        reply.values.put(FAILED, Base64.getEncoder().encodeToString(text));
        return reply;
    }

    /** Returns whether a line is a reply; libraries may write lines of their own. */
    static boolean isReply(String line) {
        return line.equals(DONE) || line.startsWith(DONE + " ");
    }

    /**
     * Reads a line.
     *
     * @throws ToolException with the client's message, if it failed
     */
    static ClientReply parse(String line) {
        ClientReply reply = new ClientReply();
        String[] parts = line.split(" ", -1);
        for (int i = 1; i < parts.length; i++) {
            String[] pair = parts[i].split("=", 2);
            reply.values.put(pair[0], pair[1]);
        }
        String failure = reply.values.get(FAILED);
        if (failure != null) {
            throw new ToolException(
                    "a client failed: " + new String(Base64.getDecoder().decode(failure), StandardCharsets.UTF_8));
        }
        return reply;
    }

    ClientReply put(String name, double value) {
        values.put(name, Double.toString(value));
        return this;
    }

    ClientReply put(String name, Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        values.put(name, encoded(bytes.array(), length));
        return this;
    }

    ClientReply put(String name, long[] times) {
        ByteBuffer bytes = ByteBuffer.allocate(times.length * Long.BYTES);
        bytes.asLongBuffer().put(times);
        values.put(name, encoded(bytes.array(), bytes.capacity()));
        return this;
    }

    private static String encoded(byte[] bytes, int length) {
        return new String(
                Base64.getEncoder().encode(ByteBuffer.wrap(bytes, 0, length)).array(), StandardCharsets.US_ASCII);
    }

    public double number(String name) {
        return Double.parseDouble(value(name));
    }

    public Histogram histogram(String name) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(value(name))), 0);
        } catch (DataFormatException e) {
            throw new ToolException("a client sent a histogram that cannot be read", e);
        }
    }

    public long[] times(String name) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(value(name)));
        long[] times = new long[bytes.remaining() / Long.BYTES];
        bytes.asLongBuffer().get(times);
        return times;
    }

    private String value(String name) {
        return Objects.requireNonNull(values.get(name), () -> "a client did not send " + name);
    }

    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(DONE);
        values.forEach(
                (name, value) -> line.append(' ').append(name).append('=').append(value));
        return line.toString();
    }
}
