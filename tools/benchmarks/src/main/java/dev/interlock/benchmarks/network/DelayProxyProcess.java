// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.network;

import dev.interlock.testservers.ChildJvm;
import dev.interlock.tools.backends.ToolException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DelayProxy} in a JVM of its own, so that its processor time does not count as that of the clients, and
 * neither its garbage collections nor its compiler delay them.
 *
 * <p>Not safe for use by several threads.
 */
final class DelayProxyProcess implements AutoCloseable {
    /**
     * With the first compiler alone the proxy reaches its full speed after a second, and compiles nothing afterwards.
     */
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m", "-Xmx512m");

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String END = "";

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final ChildJvm child =
            ChildJvm.start(JVM_OPTIONS, DelayProxyMain.class, List.of(), answers::add, () -> answers.add(END));

    /** Sets the round trip of later data: half of it in each direction. */
    void roundTrip(Duration roundTrip) {
        order(DelayProxyMain.DELAY, (roundTrip.toNanos() + 1) / 2);
    }

    /** Begins to accept connections for a server, and returns the port where its clients find it from now on. */
    int open(int serverPort) {
        return (int) order(DelayProxyMain.OPEN, serverPort);
    }

    /** Closes a port that {@link #open} returned, and the connections over it. */
    void close(int port) {
        order(DelayProxyMain.CLOSE, port);
    }

    private long order(String order, long argument) {
        child.say(order + " " + argument);
        @Nullable String answer;
        try {
            answer = answers.poll(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
        if (answer == null || !answer.startsWith(DelayProxyMain.DONE)) {
            throw child.failed("that delays what clients and servers say did not do what it was told (" + order + ")");
        }
        return Long.parseLong(answer.substring(DelayProxyMain.DONE.length() + 1));
    }

    /** Ends the process, and with it all connections. */
    @Override
    public void close() {
        child.close();
    }
}
