// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scale.clients;

import dev.interlock.benchmarks.candidates.Candidate;
import dev.interlock.testservers.ChildJvm;
import dev.interlock.tools.backends.ToolException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client of a measurement in a JVM of its own. Orders are carried out one after the other. */
public final class ScaleClient implements AutoCloseable {
    /** The longest time to carry out an order: enough for a million acquisitions on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    private static final String ENDED = "";

    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final ChildJvm jvm;

    /**
     * Starts a client; the first {@link #reply} tells that it is connected.
     *
     * @param heapMegabytes the most heap that its JVM may use
     */
    public ScaleClient(Candidate candidate, List<URI> endpoints, Duration lease, int heapMegabytes) {
        jvm = ChildJvm.start(
                List.of(
                        "-Xmx" + heapMegabytes + "m",
                        "-Xss512k",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData"),
                ScaleClientMain.class,
                ScaleClientMain.arguments(candidate.opener(), endpoints, lease, candidate.options()),
                line -> {
                    if (ClientReply.isReply(line)) {
                        replies.add(line);
                    }
                },
                () -> replies.add(ENDED));
    }

    /** Sends an order without waiting for its reply. */
    public void order(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        jvm.say(line.toString());
    }

    /** Waits for the reply to the first order that has none yet. */
    public ClientReply reply() {
        try {
            String line = replies.poll(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw jvm.failed("did not reply within " + PATIENCE.toMinutes() + " minutes");
            }
            if (line.equals(ENDED)) {
                throw jvm.failed("ended early");
            }
            return ClientReply.parse(line);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }

    public ClientReply ask(Object... words) {
        order(words);
        return reply();
    }

    @Override
    public void close() {
        jvm.close();
    }
}
