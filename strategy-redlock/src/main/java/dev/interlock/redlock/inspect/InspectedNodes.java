// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.ClientLibrary;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The connections of an operator to the nodes of a cluster. All are asked at once. A node that has not answered is not
 * asked for a while, so that a list of many locks does not wait for it each time. Safe to use from any thread.
 */
final class InspectedNodes implements AutoCloseable {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    private static final Duration REST = Duration.ofSeconds(10);

    private final Environment env;
    private final ConnectionSettings connections;
    private final RedisEndpoint first;
    private final Duration timeout;
    private final List<Node> nodes = new CopyOnWriteArrayList<>();
    private final ReentrantLock joining = new ReentrantLock();

    /** One of the nodes. */
    static final class Node {
        private final RedisEndpoint endpoint;
        private final RedisNode server;
        private volatile long restsUntilNanos;
        private volatile @Nullable LockBackendException failure;

        private Node(RedisEndpoint endpoint, RedisNode server) {
            this.endpoint = endpoint;
            this.server = server;
        }

        RedisNode server() {
            return server;
        }
    }

    InspectedNodes(List<RedisEndpoint> endpoints, LockConfig config, Environment env) {
        this.env = env;
        this.connections = ConnectionSettings.of(config);
        this.first = endpoints.get(0);
        this.timeout = config.commandTimeout().compareTo(LONGEST_WAIT) < 0 ? config.commandTimeout() : LONGEST_WAIT;
        List<RedisNode> servers = RedisNodes.open(ClientLibrary.INTERLOCK, endpoints, connections, env);
        for (int i = 0; i < servers.size(); i++) {
            nodes.add(new Node(endpoints.get(i), servers.get(i)));
        }
    }

    /** How long to wait for a node. */
    Duration timeout() {
        return timeout;
    }

    int size() {
        return nodes.size();
    }

    /** Adds a node that others have announced, with the login of the first node. Returns whether it is new. */
    boolean join(String address) {
        int colon = address.lastIndexOf(':');
        RedisEndpoint endpoint = first.at(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        joining.lock();
        try {
            boolean known = nodes.stream()
                    .anyMatch(node ->
                            node.endpoint.host().equals(endpoint.host()) && node.endpoint.port() == endpoint.port());
            if (!known) {
                RedisNode server = RedisNodes.open(ClientLibrary.INTERLOCK, List.of(endpoint), connections, env)
                        .get(0);
                nodes.add(new Node(endpoint, server));
            }
            return !known;
        } finally {
            joining.unlock();
        }
    }

    /**
     * Asks all nodes at once.
     *
     * @param command the command for each
     * @param read converts an answer
     * @return the answers of those that gave one, in the order of the nodes
     * @throws LockBackendException if none did
     */
    <T> List<T> ask(RedisCommand command, Function<Node, Function<@Nullable Object, T>> read) {
        List<Node> asked = List.copyOf(nodes);
        List<CompletableFuture<Optional<T>>> answers = new ArrayList<>();
        for (Node node : asked) {
            CompletableFuture<Optional<T>> answer = new CompletableFuture<>();
            answers.add(answer);
            env.newThread("interlock-inspection", () -> {
                        try {
                            answer.complete(call(node, command, read.apply(node)));
                        } catch (RuntimeException e) {
                            answer.completeExceptionally(e);
                        }
                    })
                    .start();
        }
        List<T> said = new ArrayList<>();
        answers.forEach(answer -> answer.join().ifPresent(said::add));
        if (said.isEmpty()) {
            StringBuilder failures = new StringBuilder("none of the servers answers");
            for (Node node : asked) {
                LockBackendException failure = node.failure;
                failures.append("; ").append(node.endpoint);
                failures.append(failure == null ? "" : ": " + failure.getMessage());
            }
            throw new LockBackendException(reason(asked), failures.toString());
        }
        return said;
    }

    private static Reason reason(List<Node> nodes) {
        boolean refused = nodes.stream()
                .map(node -> Optional.ofNullable(node.failure))
                .allMatch(failure ->
                        failure.map(LockBackendException::reason).orElse(Reason.UNREACHABLE) == Reason.REFUSED);
        return refused ? Reason.REFUSED : Reason.UNREACHABLE;
    }

    private <T> Optional<T> call(Node node, RedisCommand command, Function<@Nullable Object, T> read) {
        if (node.failure != null && env.nanoTime() - node.restsUntilNanos < 0) {
            return Optional.empty();
        }
        try {
            T answer = read.apply(node.server.call(command, timeout));
            node.failure = null;
            return Optional.of(answer);
        } catch (LockBackendException e) {
            node.failure = e;
            // A refused command was answered at once, so the node may be asked again.
            node.restsUntilNanos = env.nanoTime() + (e.reason() == Reason.REFUSED ? 0 : REST.toNanos());
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.server.close());
    }
}
