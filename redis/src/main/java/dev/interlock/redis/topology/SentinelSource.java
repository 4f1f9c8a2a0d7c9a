// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.ServerErrorException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks all sentinels for the primary in parallel, and believes the sentinel that has seen the latest failover: a
 * sentinel that was cut off from the others may still name the former primary.
 */
public final class SentinelSource implements PrimarySource {
    private static final String SWITCHED = "+switch-master";

    /** The time that the other sentinels have after the first answer. */
    private static final Duration GRACE = Duration.ofMillis(200);

    private final Environment env;
    private final String masterName;
    private final String name;
    private final List<RedisNode> sentinels;
    private final ServerOpener opener;

    /** Creates the node of a data server. */
    public interface ServerOpener {
        RedisNode open(String host, int port);
    }

    /** The address of the primary according to a sentinel, and the epoch of the failover that promoted it. */
    private record Address(String host, int port, long epoch) {
        String text() {
            return host + ":" + port;
        }
    }

    /**
     * Creates the source.
     *
     * @param masterName the name under which the sentinels know the primary
     * @param name what the sentinels are called in messages
     * @param sentinels the nodes of the sentinels, which {@link #close} closes
     * @param opener makes the node of a data server
     */
    public SentinelSource(
            Environment env, String masterName, String name, List<RedisNode> sentinels, ServerOpener opener) {
        this.env = env;
        this.masterName = masterName;
        this.name = name;
        this.sentinels = List.copyOf(sentinels);
        this.opener = opener;
    }

    @Override
    public Candidate find(Deadline deadline) {
        ParallelPoll<Optional<Address>> poll =
                ParallelPoll.of(env, sentinels, sentinel -> ask(sentinel, deadline), deadline, GRACE);
        Address latest = poll.answers().stream()
                .flatMap(Optional::stream)
                .max(Comparator.comparingLong(Address::epoch))
                .orElseThrow(() -> noAddress(poll, deadline));
        return new Candidate(latest.text(), latest.text(), () -> opener.open(latest.host(), latest.port()));
    }

    /** Asks one sentinel; empty if it does not know the primary by this name. */
    private Optional<Address> ask(RedisNode sentinel, Deadline deadline) {
        long epoch;
        try {
            epoch = epoch(call(sentinel, deadline, "MASTER"));
        } catch (ServerErrorException e) {
            if (e.error().text().startsWith("ERR No such master")) {
                return Optional.empty();
            }
            throw e;
        }
        // This reply names the new primary slightly earlier than the previous one.
        if (call(sentinel, deadline, "GET-MASTER-ADDR-BY-NAME") instanceof List<?> reply && reply.size() == 2) {
            String port = String.valueOf(reply.get(1));
            return Optional.of(new Address(String.valueOf(reply.get(0)), Integer.parseInt(port), epoch));
        }
        return Optional.empty();
    }

    private @Nullable Object call(RedisNode sentinel, Deadline deadline, String question) {
        return sentinel.call(
                RedisCommand.of("SENTINEL", question, masterName), Duration.ofNanos(Math.max(1, deadline.nanosLeft())));
    }

    private static long epoch(@Nullable Object reply) {
        if (reply instanceof List<?> fields) {
            for (int i = 0; i + 1 < fields.size(); i += 2) {
                if ("config-epoch".equals(fields.get(i))) {
                    return Long.parseLong(String.valueOf(fields.get(i + 1)));
                }
            }
        }
        return 0;
    }

    private LockBackendException noAddress(ParallelPoll<Optional<Address>> poll, Deadline deadline) {
        if (!poll.answers().isEmpty()) {
            // A silent sentinel may know the primary.
            return new LockBackendException(
                    poll.answers().size() == sentinels.size() ? Reason.REFUSED : Reason.UNREACHABLE,
                    "the sentinels " + name + " know no primary by the name \"" + masterName
                            + "\": write the name that their configuration has behind \"sentinel monitor\"");
        }
        LockBackendException failure = poll.failure();
        if (failure == null) {
            return new LockBackendException(
                    Reason.UNREACHABLE,
                    "none of the sentinels " + name + " answered within " + deadline.timeout()
                            + ": check that they run and that the endpoints are right");
        }
        return new LockBackendException(
                failure.reason(),
                "none of " + sentinels.size() + " sentinels tells where the primary \"" + masterName + "\" is: "
                        + failure.getMessage(),
                failure);
    }

    @Override
    public void listen(Runnable onHint) {
        RedisNode.Listener listener = new RedisNode.Listener() {
            @Override
            public void begun() {
                // Notices from before the subscription are not repeated.
                onHint.run();
            }

            @Override
            public void message(String text) {
                if (text.startsWith(masterName + " ")) {
                    onHint.run();
                }
            }
        };
        sentinels.forEach(sentinel -> sentinel.subscribe(SWITCHED, listener));
    }

    @Override
    public void close() {
        sentinels.forEach(RedisNode::close);
    }
}
