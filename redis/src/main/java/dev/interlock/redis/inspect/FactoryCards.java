// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.spi.StrategyOption;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Keeps the card of one factory in Redis: seldom, and on a thread that lives for one command, so that no lock waits for it. The first
 * is written half a minute after the factory was made, so that short-lived programs write none. Safe to use from any thread.
 */
public final class FactoryCards {
    /** The option that switches cards off. */
    public static final StrategyOption OPTION = new StrategyOption(
                    "card",
                    "true",
                    "true keeps a key that says which process this factory belongs to, for ./interlock locks, while locks are renewed or"
                            + " waited for; false keeps none")
            .mixedWith("false");

    private static final System.Logger LOG = System.getLogger(FactoryCards.class.getName());

    private static final Duration FIRST = Duration.ofSeconds(30);
    private static final Duration PERIOD = Duration.ofSeconds(20);
    private static final Duration LIFE = Duration.ofMinutes(1);

    private final RedisNode node;
    private final LockKeys keys;
    private final Environment env;
    private final Duration timeout;
    private final String client;
    private final Instant started;
    private final boolean wanted;

    /** When the next card is due, on the monotonic clock. */
    private final AtomicLong dueNanos;

    /**
     * Creates the cards of a factory; writes none yet.
     *
     * @param node the server
     * @param keys the names of keys
     * @param config whether cards are wanted, and how long to wait for an answer
     * @param env time and threads
     */
    public FactoryCards(RedisNode node, LockKeys keys, LockConfig config, Environment env) {
        this.node = node;
        this.keys = keys;
        this.env = env;
        this.timeout = config.commandTimeout();
        this.client =
                config.option(ConnectionSettings.CLIENT_NAME.name()).orElse("").strip();
        this.wanted = OPTION.oneOf(config, "true", "false").equals("true");
        this.started = Instant.ofEpochMilli(env.currentTimeMillis());
        this.dueNanos = new AtomicLong(env.nanoTime() + FIRST.toNanos());
    }

    /**
     * Writes the card if it is due, without waiting for it. Never fails.
     *
     * @param claim any claim of the factory
     */
    public void writeIfDue(Claim claim) {
        if (!wanted) {
            return;
        }
        long now = env.nanoTime();
        long due = dueNanos.get();
        if (now - due < 0 || !dueNanos.compareAndSet(due, now + PERIOD.toNanos())) {
            return;
        }
        String key = keys.factory(LockParty.factoryOf(claim.token()));
        try {
            env.newThread("interlock-card", () -> write(key)).start();
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(Level.DEBUG, "the card of a lock factory could not be written now", e);
        }
    }

    private void write(String key) {
        try {
            String text = new FactoryCard(host(), ProcessHandle.current().pid(), client, started).text();
            node.call(RedisCommand.of("SET", key, text, "PX", Long.toString(LIFE.toMillis())), timeout);
        } catch (RuntimeException e) {
            // Nothing depends on it: a user may be refused it, and a factory may be closed meanwhile.
            LOG.log(Level.DEBUG, "the card of a lock factory could not be written", e);
        }
    }

    /** The name of this machine or container, as its environment says, or as its network does. */
    private static String host() {
        Optional<String> named = Stream.of("HOSTNAME", "COMPUTERNAME")
                .map(System::getenv)
                .filter(name -> name != null && !name.isBlank())
                .findFirst();
        try {
            return named.isPresent() ? named.get() : InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
