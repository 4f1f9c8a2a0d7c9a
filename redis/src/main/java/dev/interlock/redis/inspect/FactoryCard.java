// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Describes the process of a factory to operators. No lock depends on it.
 *
 * @param host the name of the machine or container
 * @param pid the number of the process there
 * @param client the client name of its connections; empty if it has none
 * @param started when the factory was made, by its own clock
 */
public record FactoryCard(String host, long pid, String client, Instant started) {
    /** The longest name; longer names are cut off. */
    private static final int LONGEST = 255;

    /** Cuts off names that are too long, and replaces characters that would break a line of a terminal. */
    public FactoryCard {
        host = plain(host);
        client = plain(client);
        Objects.requireNonNull(started, "started");
    }

    private static String plain(String name) {
        String plain = name.replaceAll("[\\p{Cntrl}\\s]", "?");
        return plain.substring(0, Math.min(plain.length(), LONGEST));
    }

    /**
     * Looks for the card of a factory.
     *
     * @param node the server
     * @param keys the names of keys
     * @param party the holder or waiter whose factory is looked for; it may have none
     * @param timeout how long to wait for an answer
     * @return the card; empty if there is none, or the user may not read it
     * @throws LockBackendException if the server does not answer
     */
    public static Optional<FactoryCard> find(RedisNode node, LockKeys keys, LockParty party, Duration timeout) {
        if (party.factory().isEmpty()) {
            return Optional.empty();
        }
        try {
            Object text = node.call(
                    RedisCommand.of("GET", keys.factory(party.factory().get())), timeout);
            return text instanceof String card ? read(card) : Optional.empty();
        } catch (LockBackendException e) {
            if (e.reason() == Reason.REFUSED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Returns the card as it is kept in Redis: lines of a name, an equals sign and a value.
     *
     * @return the text
     */
    public String text() {
        return "host=" + host + "\npid=" + pid + "\nclient=" + client + "\nstarted=" + started;
    }

    /**
     * Reads a card. Lines that are not known are passed over.
     *
     * @param text the text
     * @return the card; empty if the text is not that of a card
     */
    public static Optional<FactoryCard> read(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        });
        try {
            return Optional.of(new FactoryCard(
                    values.getOrDefault("host", ""),
                    Long.parseLong(values.getOrDefault("pid", "")),
                    values.getOrDefault("client", ""),
                    Instant.parse(values.getOrDefault("started", ""))));
        } catch (NumberFormatException | DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
