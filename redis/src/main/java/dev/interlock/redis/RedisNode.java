// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.protocol.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The port through which a strategy talks to one Redis server.
 *
 * <p>Connections are opened when they are first needed and again when they were lost. A command is sent at most once:
 * it is neither kept until there is a connection, nor repeated by the client after a reconnection. Replies are
 * {@code null}, {@link Long}, {@link String}, or a {@link List} of these. All methods but {@link #subscribe} and
 * {@link #close} block for the reply and throw {@link dev.interlock.LockBackendException}, whose reason tells whether
 * the command was carried out:
 *
 * <ul>
 *   <li>{@code UNREACHABLE}: it was not sent, or the server said that it is not ready (loading, busy, no primary, …);
 *   <li>{@code REFUSED}: the server answered with any other error;
 *   <li>{@code OUTCOME_UNKNOWN}: it was sent, and the reply did not come in time or the connection broke.
 * </ul>
 *
 * <p>An interrupt does not end a call; the thread's interrupt status is set again when it returns. Implementations are
 * safe to use from any thread.
 */
public interface RedisNode extends AutoCloseable {
    /**
     * Carries out a command. A script that the server does not know is sent in full once more.
     *
     * @param command the command
     * @param timeout the longest time to wait for the reply, a connection included
     * @return the reply
     * @throws dev.interlock.LockBackendException if there is no reply, or it is an error
     */
    @Nullable
    Object call(RedisCommand command, Duration timeout);

    /**
     * Carries out a command as {@link #call} does, but does not wait behind other calls for a connection to become
     * free. For renewals, which a burst of acquisitions must not delay.
     *
     * @param command the command
     * @param timeout the longest time to wait for the reply, a connection included
     * @return the reply
     * @throws dev.interlock.LockBackendException if there is no reply, or it is an error
     */
    default @Nullable Object callUrgently(RedisCommand command, Duration timeout) {
        return call(command, timeout);
    }

    /**
     * Carries out a command. If its outcome remains unknown, sends an undo right behind it on the same connection, so
     * that the server cannot carry them out in the opposite order. The undo is not sent if that connection is broken,
     * nor over the connections of a Jedis client that was handed in.
     *
     * @param command the command
     * @param undo supplies the command that undoes the effect; called only if it is sent; scripts are sent in full, and
     *     the reply is not waited for
     * @param timeout the longest time to wait for the reply, a connection included
     * @return the reply
     * @throws dev.interlock.LockBackendException if there is no reply, or it is an error
     */
    @Nullable
    Object callOrUndo(RedisCommand command, Supplier<RedisCommand> undo, Duration timeout);

    /**
     * Carries out plain commands for keys of one slot, which are sent in one write over one connection. The server
     * carries them out in order, possibly with commands of other clients in between, and carries out each of them even
     * if an earlier one failed. If the outcome remains unknown, the undo follows as in {@link #callOrUndo}. No command
     * follows a redirection to another server, since the commands before it may have been carried out.
     *
     * @param commands the commands, no scripts
     * @param undo supplies the command that undoes the effects; called only if it is sent
     * @param timeout the longest time to wait for all replies, a connection included
     * @return the outcome of each command, in the same order; an error of the server is returned, not thrown
     * @throws dev.interlock.LockBackendException if a reply is missing; unless the reason is {@code OUTCOME_UNKNOWN},
     *     nothing was sent
     */
    List<RedisLink.Reply> callInOrder(List<RedisCommand> commands, Supplier<RedisCommand> undo, Duration timeout);

    /**
     * Carries out a command, and waits until enough replicas, or the disk, have acknowledged what it has written. Both
     * the command and the wait go over a connection that serves no other call meanwhile, so that no other caller waits
     * for the acknowledgement. The acknowledgement is waited for as long as three quarters of the time-out, whatever
     * the command has replied.
     *
     * <p>The command may be sent a second time if the connection breaks while it is being sent, so it must do no harm
     * if it is carried out twice.
     *
     * <p>No undo is sent if the reply is late: a server that waits for replicas reads nothing more from that
     * connection, and discards what it has not read when the connection ends.
     *
     * @param command the command
     * @param wanted what has to be acknowledged, and by how many
     * @param timeout the longest time to wait for the reply and the acknowledgement, a connection included
     * @return the reply, and whether it was acknowledged in time
     * @throws dev.interlock.LockBackendException if there is no reply to the command, or it is an error, or it remains
     *     unknown whether it was acknowledged
     */
    Acknowledged callAcknowledged(RedisCommand command, Acknowledgement wanted, Duration timeout);

    /**
     * The outcome of {@link #callAcknowledged}: the command was carried out.
     *
     * @param reply the server's reply to the command
     * @param shortfall empty if it was acknowledged as it was asked for, otherwise what to tell the user: how many have
     *     acknowledged it in time, or that the server does not let this user wait for them, which has the reason
     *     {@code REFUSED}
     */
    record Acknowledged(@Nullable Object reply, Optional<LockBackendException> shortfall) {
        /**
         * Creates the outcome.
         *
         * @param reply the server's reply to the command
         * @param shortfall why it is not acknowledged, or empty if it is
         */
        public Acknowledged {
            Objects.requireNonNull(shortfall, "shortfall");
        }
    }

    /**
     * Carries out independent commands that may safely be carried out twice. Commands for the same server are sent in
     * one write.
     *
     * @param commands the commands
     * @param timeout the longest time to wait for all replies, connections included
     * @return the outcome of each command, in the same order; a failure is returned, not thrown
     */
    default List<RedisLink.Reply> callEach(List<RedisCommand> commands, Duration timeout) {
        List<RedisLink.Reply> replies = new ArrayList<>();
        for (RedisCommand command : commands) {
            try {
                replies.add(new RedisLink.Reply.Value(call(command, timeout)));
            } catch (LockBackendException e) {
                replies.add(new RedisLink.Reply.Failed(e));
            }
        }
        return replies;
    }

    /**
     * Returns the slot of a key: keys of one slot may go together in one script or transaction.
     *
     * @param key a key
     * @return the same number for keys that may; it changes when a server turns out to be in cluster mode
     */
    default int slot(String key) {
        return 0;
    }

    /**
     * Returns the server that is responsible for a key, as far as it is known. Does not block.
     *
     * @param key the key
     * @return the same text for keys whose commands go to the same server
     */
    default String lane(String key) {
        return "";
    }

    /**
     * Tells whether the server process that answers for a key may be another one than before: the number changes with
     * each connection that this node opens, before anything is sent on it, and with each reply which says that another
     * server may be the one to ask. As long as it stays the same, all commands for the key have gone over connections
     * that were there all the time. Does not block.
     *
     * @param key the key
     * @return a number that no other state of any node has, or a negative one if this node does not know, as over a
     *     client that was handed in
     */
    default long generation(String key) {
        return -1;
    }

    /**
     * Tells whether channels belong to servers as keys do: then {@link #subscribe} listens to the sharded channels of a
     * cluster, to which {@code SPUBLISH} sends, and a channel has to have the hash tag of the keys that it is about.
     *
     * @return {@code false} for the channels of {@code PUBLISH}
     */
    default boolean isSharded() {
        return false;
    }

    /**
     * Carries out commands as one transaction if a key has a value at that moment ({@code WATCH}, {@code GET},
     * {@code MULTI}, …, {@code EXEC}), for servers on which scripts are not allowed.
     *
     * @param key the key
     * @param expected the value that it must have, not empty
     * @param commands what to carry out, no scripts
     * @param timeout the longest time to wait for all replies, a connection included, also for a key that others change
     *     again and again
     * @return the value that the key had, {@code null} if none, an empty string if it holds no string; the commands
     *     were carried out if and only if it is equal to {@code expected}. A key that changes in between is looked at
     *     again.
     * @throws IllegalArgumentException if {@code expected} is empty
     * @throws dev.interlock.LockBackendException if there is no reply, or it is an error
     */
    @Nullable
    String transactIfEqual(String key, String expected, List<RedisCommand> commands, Duration timeout);

    /**
     * Carries out commands as one transaction, each if its key has a value at that moment, as {@link #transactIfEqual}
     * does for one. A key that is found to have another value is not looked at again. Where the connections are the
     * node's own, it does not wait behind other calls for one to become free, for renewals as {@link #callUrgently}.
     *
     * <p>This implementation carries out one transaction for each key, with a time-out of its own. If one fails after
     * another has changed something, the outcome of all is unknown.
     *
     * @param keys the keys, at least one, all different and of the same {@linkplain #slot slot}
     * @param expected the value that each key must have, not empty
     * @param commands what to carry out for each key, no scripts
     * @param timeout the longest time to wait for all replies, a connection included, also for keys that others change
     *     again and again
     * @return the value that each key had, {@code null} if none, an empty string if it holds no string; a command was
     *     carried out if and only if its value is equal to the expected one
     * @throws dev.interlock.LockBackendException if there is no reply, or it is an error; unless its reason is
     *     {@code OUTCOME_UNKNOWN}, no command was carried out
     */
    default List<@Nullable String> transactWhereEqual(
            List<String> keys, List<String> expected, List<RedisCommand> commands, Duration timeout) {
        List<@Nullable String> found = new ArrayList<>();
        boolean changed = false;
        for (int i = 0; i < keys.size(); i++) {
            try {
                String value = transactIfEqual(keys.get(i), expected.get(i), List.of(commands.get(i)), timeout);
                changed |= expected.get(i).equals(value);
                found.add(value);
            } catch (LockBackendException e) {
                throw changed ? new LockBackendException(Reason.OUTCOME_UNKNOWN, String.valueOf(e.getMessage()), e) : e;
            }
        }
        return found;
    }

    /**
     * Opens a connection of its own for commands whose replies are not waited for, and returns when the server has
     * answered on it.
     *
     * @param timeout the longest time to wait for the connection
     * @return the connection, which {@link #close} closes too
     * @throws UnsupportedOperationException if the client library can only wait for each reply, as Jedis does
     * @throws dev.interlock.LockBackendException if there is no connection
     */
    default RedisLink openLink(Duration timeout) {
        throw new UnsupportedOperationException(
                "this client waits for each reply: use Lettuce to send without waiting");
    }

    /**
     * Listens to a channel over the one subscription connection of this node, which is opened at the first call and
     * opened again, with all channels, whenever it breaks. Returns without waiting for the server and does not fail.
     *
     * @param channel the channel
     * @param onSignal run for each message on the channel, whatever it says, each time that the server has confirmed
     *     the subscription, after a reconnection too, and each time that the subscription has ended; must not block
     * @return the end of listening, which also tells whether the subscription is confirmed; the channel is given up
     *     when its last listener ends
     */
    default Watch subscribe(String channel, Runnable onSignal) {
        return subscribe(channel, new Listener() {
            @Override
            public void begun() {
                onSignal.run();
            }

            @Override
            public void ended() {
                onSignal.run();
            }

            @Override
            public void message(String text) {
                onSignal.run();
            }
        });
    }

    /**
     * As {@link #subscribe(String, Runnable)}, for a listener that needs the text of the messages.
     *
     * @param channel the channel
     * @param listener told of each message and confirmation
     * @return the end of listening; the channel is given up when its last listener ends
     */
    Watch subscribe(String channel, Listener listener);

    /**
     * Tells whether this node is one of those that {@code PUBLISH} counts on a channel: the server has confirmed the
     * subscription, and its connection is not known to have ended.
     *
     * @param channel the channel
     * @return {@code false} if that is not known
     */
    default boolean isSubscribed(String channel) {
        return false;
    }

    /**
     * Reports that the subscription connection may lead to another server than the commands, or to none. It is closed
     * and opened again. Returns without waiting for the server.
     */
    default void doubtSubscriptions() {}

    /**
     * Reports a doubt as {@link #doubtSubscriptions()} does, for the connection that serves a channel.
     *
     * @param channel the channel
     */
    default void doubtSubscription(String channel) {
        doubtSubscriptions();
    }

    /**
     * Registers an action that runs when another server has taken over, which may lack the last writes of the former
     * one. Called at most once, before commands are sent.
     *
     * @param onTakeover run when commands go to the new server already, by any thread; must not block
     */
    default void watchTakeovers(Runnable onTakeover) {}

    /** Receives the events of a channel. Its methods must not block. */
    interface Listener {
        /** The server has confirmed the subscription, for the first time or after a reconnection. */
        void begun();

        /** The confirmed subscription has ended; it is being opened again. */
        default void ended() {}

        /**
         * A message has arrived.
         *
         * @param text what it says
         */
        void message(String text);
    }

    /** Closes the connections that this node opened. A client that was handed in stays open. */
    @Override
    void close();
}
