// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.waiting.ChannelState;
import dev.interlock.redis.waiting.Channels;
import dev.interlock.redis.waiting.WaitingScripts;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one client, and its channels: one at each node that is the lead of a lock for which it waits. It
 * subscribes when it first waits at a node and stays subscribed, so that later waits cost no subscription. Safe to use
 * from any thread.
 */
public final class Turns {
    private static final Pattern MESSAGE = Pattern.compile("(\\p{XDigit}+) (.+)", Pattern.DOTALL);
    private static final Pattern GRANTED = Pattern.compile("granted (.+)", Pattern.DOTALL);
    private static final Pattern PASSED =
            Pattern.compile("passed (\\d{1,9}) (\\d{1,18}) (\\d{1,18}) (\\p{XDigit}+) (.+)", Pattern.DOTALL);

    /** If there are more turns than this, those whose leases have ended are removed. */
    private static final int MANY = 1024;

    private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Environment env;
    private final LockKeys keys;
    private final ToIntFunction<String> leads;
    private final Duration longestGrant;
    private final IntFunction<RedisNode> nodes;
    private final Map<Integer, Channels> channels = new ConcurrentHashMap<>();
    private final Map<Long, Turn> all = new ConcurrentHashMap<>();
    private final Map<String, Turn> waiting = new ConcurrentHashMap<>();
    private final Map<String, Runnable> watchers = new ConcurrentHashMap<>();
    private final KnownRoots roots = new KnownRoots();

    /**
     * Creates the turns of a client.
     *
     * @param env time and chance
     * @param nodes tells which server is the node with an index
     * @param keys the names of keys and channels
     * @param leads tells which node is the lead of the lock of a name now
     * @param longestGrant the longest lease of what is granted to a claim while it waits
     */
    public Turns(
            Environment env,
            IntFunction<RedisNode> nodes,
            LockKeys keys,
            ToIntFunction<String> leads,
            Duration longestGrant) {
        this.env = env;
        this.keys = keys;
        this.leads = leads;
        this.nodes = nodes;
        this.longestGrant = longestGrant;
    }

    /** Returns the channels at the server that is a node now, which may differ from an earlier one. */
    private Channels channels(int node) {
        RedisNode server = nodes.apply(node);
        Channels found = channels.get(node);
        return found != null && found.areAt(server)
                ? found
                : Objects.requireNonNull(channels.compute(
                        node,
                        (index, last) -> last != null && last.areAt(server)
                                ? last
                                : new Channels(env, server, keys, this::wake, this::take)));
    }

    /**
     * Returns the turn of a claim.
     *
     * @param claim the claim
     * @return its turn, or {@code null} if it has none
     */
    public @Nullable Turn find(Claim claim) {
        return claim.isWaiting() && !all.isEmpty() ? all.get(claim.number()) : null;
    }

    /**
     * Begins the turn of a claim that waits.
     *
     * @param claim the claim
     * @return its turn
     */
    public Turn begin(Claim claim) {
        if (all.size() >= MANY) {
            long now = env.nanoTime();
            all.values().removeIf(turn -> {
                Root root = turn.root();
                return root != null
                        && now - root.endNanos()
                                > FORGET_NANOS + turn.claim().lease().toNanos();
            });
        }
        Turn turn = new Turn(claim, longestGrant);
        all.put(claim.number(), turn);
        waiting.put(keys.lock(claim.name()), turn);
        return turn;
    }

    /**
     * Ends the turn of a claim.
     *
     * @param claim the claim
     * @return its turn, or {@code null} if it had none
     */
    public @Nullable Turn remove(Claim claim) {
        Turn turn = find(claim);
        if (turn != null) {
            all.remove(claim.number(), turn);
            waiting.remove(keys.lock(claim.name()), turn);
        }
        return turn;
    }

    /**
     * Undoes a removal: the claim's root must still be released.
     *
     * @param turn its turn
     */
    public void restore(Turn turn) {
        all.put(turn.claim().number(), turn);
    }

    /**
     * Notes that a claim owns the lock and waits no more.
     *
     * @param turn its turn
     * @param root what it owns
     */
    public void own(Turn turn, Root root) {
        String name = turn.claim().name();
        turn.own(root);
        waiting.remove(keys.lock(name), turn);
        roots.note(name, root.token());
    }

    /**
     * Notes that a claim waits again, since what it owned was over.
     *
     * @param turn its turn
     */
    public void waitAnew(Turn turn) {
        turn.beginAnew();
        waiting.put(keys.lock(turn.claim().name()), turn);
    }

    /**
     * Returns the token of the root of a lock that a message tells of.
     *
     * @param name the name of the lock
     * @param message what it says
     * @return the token, or {@code null} if this client does not know it
     */
    public @Nullable String root(String name, PassMessage message) {
        return roots.find(name, message.digest());
    }

    /**
     * Returns the channel of this client.
     *
     * @param node the lead
     * @param name the name of the lock
     * @return the channel
     */
    public String channel(int node, String name) {
        return channels(node).channel(name);
    }

    /**
     * Listens at a node, if this client does not yet.
     *
     * @param node the lead
     * @param name the name of the lock
     * @return what is known of the subscription
     */
    public ChannelState listen(int node, String name) {
        Channels at = channels(node);
        ChannelState found = at.find(name);
        return found == null ? at.enter(name) : found;
    }

    /**
     * Listens for messages to this client's claim for a lock.
     *
     * @param name the name of the lock
     * @param onChange run when the claim should ask
     * @return the end of listening
     */
    public Watch watch(String name, Runnable onChange) {
        String key = keys.lock(name);
        watchers.put(key, onChange);
        ChannelState listening = listen(lead(name), name);
        Turn turn = waiting.get(key);
        // A claim that asked before it could get a place, or whose turn came before this watch, would wait in vain.
        if (listening.isBegun() && (turn == null || turn.shouldAsk())) {
            onChange.run();
        }
        AtomicBoolean closed = new AtomicBoolean();
        return new Watch() {
            @Override
            public boolean isListening() {
                return listen(lead(name), name).isReachable();
            }

            @Override
            public void close() {
                if (!closed.getAndSet(true)) {
                    watchers.remove(key, onChange);
                }
            }
        };
    }

    /**
     * Makes a claim without a place in a queue ask, if this client already listens for its lock: then no new watch
     * would make it ask.
     *
     * @param name the name of the lock
     */
    public void hurry(String name) {
        ChannelState listening = channels(lead(name)).find(name);
        if (listening != null && listening.isBegun()) {
            tell(keys.lock(name));
        }
    }

    private int lead(String name) {
        Turn turn = waiting.get(keys.lock(name));
        return turn == null || turn.lead() < 0 ? leads.applyAsInt(name) : turn.lead();
    }

    /** Makes all waiters ask again, since the list of nodes has changed, and the leads may have too. */
    public void askAll() {
        watchers.values().forEach(Runnable::run);
    }

    /** Makes the waiters of one lock, or of all, ask again. */
    private void wake(String name) {
        if (name.isEmpty()) {
            askAll();
            return;
        }
        tell(keys.lock(name));
    }

    private void tell(String key) {
        Runnable watcher = watchers.get(key);
        if (watcher != null) {
            watcher.run();
        }
    }

    private void take(ChannelState listening, String text) {
        Matcher message = MESSAGE.matcher(text);
        if (!message.matches()) {
            return;
        }
        String proof = message.group(1);
        String said = message.group(2);
        Matcher granted = GRANTED.matcher(said);
        Matcher passed = PASSED.matcher(said);
        if (granted.matches()) {
            hear(granted.group(1), proof, said, Turn::heardGrant);
        } else if (passed.matches()) {
            PassMessage hop = new PassMessage(
                    Integer.parseInt(passed.group(1)),
                    Long.parseLong(passed.group(2)),
                    Long.parseLong(passed.group(3)),
                    passed.group(4),
                    listening.epoch());
            hear(passed.group(5), proof, said, (turn, queued) -> turn.heard(queued, hop));
        }
    }

    /** Notes a message if its claim waits, and the message proves that it is genuine. */
    private void hear(String key, String proof, String text, BiConsumer<Turn, Claim> note) {
        Turn turn = waiting.get(key);
        if (turn == null) {
            return;
        }
        Claim queued = turn.queued();
        if (WaitingScripts.proof(queued.token(), text).equals(proof)) {
            note.accept(turn, queued);
            tell(key);
        }
    }
}
