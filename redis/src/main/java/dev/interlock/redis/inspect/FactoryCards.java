// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.inspect;

import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Attempt;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Writes the card of one factory to Redis: rarely, and on a thread that lives for one command, so that no lock waits
 * for it. A factory that is younger than half a minute writes it only for a long lease that nobody renews, so that most
 * short-lived programs write none. Safe to use from any thread.
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

    /** A younger factory writes no card for a claim that will be renewed. */
    private static final Duration YOUTH = Duration.ofSeconds(30);

    private static final Duration PERIOD = Duration.ofSeconds(20);
    private static final Duration LEAST_LIFE = Duration.ofMinutes(1);
    private static final Duration MOST_LIFE = Duration.ofDays(1);

    private final Storage storage;
    private final LockKeys keys;
    private final Environment env;
    private final String client;
    private final Instant started;
    private final boolean wanted;

    /** The time at which the factory was created, on the monotonic clock. */
    private final long madeNanos;

    /** The time at which the next card is due, on the monotonic clock. */
    private final AtomicLong dueNanos;

    /** The end of the last lease without renewal, on the monotonic clock: no other card may be written until then. */
    private final AtomicLong endNanos;

    /** Where cards are kept. */
    public interface Storage {
        /**
         * Writes a card. Called on a thread of its own.
         *
         * @param key the key
         * @param text the card
         * @param lifeMillis for how long it is kept
         * @throws RuntimeException if it cannot be written, which harms nobody
         */
        void write(String key, String text, long lifeMillis);
    }

    /**
     * Creates the cards of a factory that uses one server; writes none yet.
     *
     * @param node the server
     * @param config the prefix of keys, whether cards are wanted, and how long to wait for an answer
     * @param env time and threads
     */
    public FactoryCards(RedisNode node, LockConfig config, Environment env) {
        this(
                (key, text, lifeMillis) -> node.call(
                        RedisCommand.of("SET", key, text, "PX", Long.toString(lifeMillis)), config.commandTimeout()),
                config,
                env);
    }

    /**
     * Creates the cards of a factory; writes none yet.
     *
     * @param storage where they are kept
     * @param config the prefix of keys, and whether cards are wanted
     * @param env time and threads
     */
    public FactoryCards(Storage storage, LockConfig config, Environment env) {
        this.storage = storage;
        this.keys = new LockKeys(config.keyPrefix());
        this.env = env;
        this.client =
                config.option(ConnectionSettings.CLIENT_NAME.name()).orElse("").strip();
        this.wanted = OPTION.oneOf(config, "true", "false").equals("true");
        this.started = Instant.ofEpochMilli(env.currentTimeMillis());
        this.madeNanos = env.nanoTime();
        this.dueNanos = new AtomicLong(madeNanos);
        this.endNanos = new AtomicLong(madeNanos);
    }

    /**
     * Writes the card if it is due and the claim waits, or holds the lock for a lease that is not renewed. A claim that
     * is renewed writes it at the renewal.
     *
     * @param claim the claim
     * @param attempt the outcome of the attempt
     */
    public void attempted(Claim claim, Attempt attempt) {
        if (attempt instanceof Attempt.Refused
                ? claim.isWaiting()
                : attempt instanceof Attempt.Granted && !claim.isRenewed()) {
            writeIfDue(claim);
        }
    }

    /**
     * Writes the card if it is due, without waiting for it. Never fails.
     *
     * @param claim a claim of the factory that waits, is renewed, or was granted the lock for a lease that is not
     *     renewed
     */
    public void writeIfDue(Claim claim) {
        if (!wanted) {
            return;
        }
        long now = env.nanoTime();
        if (!claim.isRenewed()) {
            long end = now + min(claim.lease(), MOST_LIFE).toNanos();
            endNanos.accumulateAndGet(end, (last, next) -> next - last > 0 ? next : last);
        }
        long due = dueNanos.get();
        if (now - due < 0 || isTooYoung(claim, now) || !dueNanos.compareAndSet(due, now + PERIOD.toNanos())) {
            return;
        }
        String key = keys.factory(LockParty.factoryOf(claim.token()));
        try {
            long lifeMillis = Math.max(LEAST_LIFE.toMillis(), TimeUnit.NANOSECONDS.toMillis(endNanos.get() - now));
            env.newThread("interlock-card", () -> write(key, lifeMillis)).start();
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(Level.DEBUG, "the card of a lock factory could not be written now", e);
        }
    }

    private boolean isTooYoung(Claim claim, long now) {
        boolean standsStill = !claim.isRenewed() && claim.lease().compareTo(YOUTH) > 0;
        return !standsStill && now - madeNanos < YOUTH.toNanos();
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private void write(String key, long lifeMillis) {
        try {
            String text = new FactoryCard(host(), ProcessHandle.current().pid(), client, started).text();
            storage.write(key, text, lifeMillis);
        } catch (RuntimeException e) {
            // Failures are ignored, since nothing depends on the card: the user may lack the permission, or the factory
            // may be closed.
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
