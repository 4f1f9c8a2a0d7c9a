// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.topology;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.client.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Asks each of the servers for its role. While two of them claim to be the primary, neither is used: one may be a
 * former primary that does not know it yet, or the servers may not belong together.
 */
public final class ReplicatedSource implements PrimarySource {
    /** The time that the other servers have to object after the first answer. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Environment env;
    private final List<Server> servers;

    /**
     * One of the servers.
     *
     * @param name what it is called in messages
     * @param node asks it for its role; closed with the source
     * @param connector makes another node of the same server
     */
    public record Server(String name, RedisNode node, Supplier<RedisNode> connector) {}

    private record Answer(Server server, boolean isPrimary) {}

    /**
     * Creates the source.
     *
     * @param servers the primary and its replicas
     */
    public ReplicatedSource(Environment env, List<Server> servers) {
        this.env = env;
        this.servers = List.copyOf(servers);
    }

    @Override
    public Candidate find(Deadline deadline) {
        ParallelPoll<Answer> poll = ParallelPoll.of(
                env,
                servers,
                server -> new Answer(server, ServerRole.isPrimary(server.node(), deadline)),
                deadline,
                GRACE);
        List<Server> primaries = poll.answers().stream()
                .filter(Answer::isPrimary)
                .map(Answer::server)
                .toList();
        if (primaries.size() == 1) {
            Server primary = primaries.get(0);
            return new Candidate(primary, primary.name(), primary.connector());
        }
        if (primaries.isEmpty()) {
            throw none(poll, deadline);
        }
        throw new LockBackendException(
                Reason.UNREACHABLE,
                "several servers say that they are the primary: " + names(primaries)
                        + "; make all but one its replicas, or use the strategy redlock for servers that are independent");
    }

    private LockBackendException none(ParallelPoll<Answer> poll, Deadline deadline) {
        LockBackendException failure = poll.failure();
        if (failure == null) {
            String state = poll.answers().isEmpty()
                    ? " answered within " + deadline.timeout() + ": check that they run"
                    : " is a primary that answers: check the endpoints, and the server that is missing among them";
            return new LockBackendException(Reason.UNREACHABLE, "none of " + names(servers) + state);
        }
        return new LockBackendException(
                failure.reason(), "no primary among " + names(servers) + " answers: " + failure.getMessage(), failure);
    }

    private static List<String> names(List<Server> servers) {
        return servers.stream().map(Server::name).toList();
    }

    @Override
    public void close() {
        servers.forEach(server -> server.node().close());
    }
}
