// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx.intercept;

import dev.interlock.setnxpx.Fixture;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Listens to all messages of a server, and reports those that are not on its own channels. */
public final class Overhearing implements AutoCloseable {
    /**
     * The prefix of the channels on which this class publishes a last message, to know that it has heard all earlier
     * ones.
     */
    private static final String END = "end:";

    private final String end = END + UUID.randomUUID();
    private final RedisServer server;
    private final RespConnection connection;

    /**
     * What was published.
     *
     * @param channel where
     * @param text what it says
     */
    public record Message(String channel, String text) {}

    public Overhearing(RedisServer server) {
        this.server = server;
        try {
            connection = new RespConnection("127.0.0.1", server.port(), (int) Fixture.PATIENCE.toMillis());
            connection.call("PSUBSCRIBE", "*");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Listens to a channel by its name, as one who waits in the list does. */
    public void listen(String channel) {
        try {
            connection.call("SUBSCRIBE", channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns what was published since the last call. */
    public List<Message> heard() {
        server.command("PUBLISH", end, "");
        List<Message> heard = new ArrayList<>();
        try {
            while (true) {
                List<?> push = (List<?>) Objects.requireNonNull(connection.read());
                String channel = (String) push.get(push.size() - 2);
                if (channel.equals(end)) {
                    return heard;
                }
                if (!channel.startsWith("interlock:") && !channel.startsWith(END)) {
                    heard.add(new Message(channel, (String) push.get(push.size() - 1)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
