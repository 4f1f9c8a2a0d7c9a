// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redlock.birth.Births;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.joint.Configuration;
import dev.interlock.redlock.joint.ListedNode;
import dev.interlock.redlock.operation.NodeChange;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Operations on the nodes of a redlock cluster that clients use meanwhile: show their status, and replace, add or
 * remove a node.
 *
 * <p>A change may be interrupted at any moment; calling the same method again continues it. Not safe for use by several
 * threads at once.
 *
 * <pre>{@code
 * try (RedlockOperations cluster = RedlockOperations.connect(config)) {
 *     cluster.replace("c:6379", "d:6379", Set.of(), System.out::println);
 * }
 * }</pre>
 */
public final class RedlockOperations implements AutoCloseable {
    private static final String LOCK = "interlock-redlock-operations";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Environment env;
    private final Client client;
    private final NodeChange change;
    private final DistributedLockFactory locks;

    /**
     * The nodes of a cluster, and their status.
     *
     * @param revision how often the list of nodes was changed
     * @param changing whether a change is under way, in which the old and the new list both count
     * @param nodes the nodes, in the order of the list
     */
    public record Status(long revision, boolean changing, List<Node> nodes) {
        /** Creates a status. */
        public Status {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * The status of one node.
     *
     * @param address host and port
     * @param phase {@code stays}, {@code leaves} or {@code joins}
     * @param connected whether it answers
     * @param informed whether it knows the list
     * @param votesIn the time until it may vote for new holders; zero if it votes, empty if it is not connected, or if
     *     its vote does not depend on time
     */
    public record Node(String address, String phase, boolean connected, boolean informed, Optional<Duration> votesIn) {
        /** Creates the status of a node. */
        public Node {
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(phase, "phase");
            Objects.requireNonNull(votesIn, "votesIn");
        }
    }

    private RedlockOperations(Environment env, Client client, DistributedLockFactory locks) {
        this.env = env;
        this.client = client;
        this.change = new NodeChange(env, client, client.births);
        this.locks = locks;
    }

    /**
     * Prepares to connect to a cluster.
     *
     * @param config the configuration of a client of this cluster, with {@code cold-start=wait}
     * @return the operations, which the caller must close
     * @throws IllegalArgumentException if the configuration is not valid for redlock, or nodes are trusted, and so keep
     *     no list
     */
    public static RedlockOperations connect(LockConfig config) {
        config.requireKnownOptions(new RedlockStrategyProvider());
        return connect(config, Environment.system());
    }

    /**
     * Prepares to connect to a cluster over ports to Redis that are not this library's, as {@link RedlockLocks#nodes}
     * does.
     *
     * @param config the configuration of a client of this cluster, with {@code cold-start=wait}
     * @param servers host and port of each server, as a client names them
     * @param connect makes the port to the server at an address, which the operations close; also asked for servers
     *     that join
     * @param env the source of time, waiting, threads and randomness; the methods are called on its threads
     * @return the operations, which the caller must close
     * @throws IllegalArgumentException if the configuration is not valid for redlock, or nodes are trusted, and so keep
     *     no list
     */
    public static RedlockOperations connect(
            LockConfig config, List<String> servers, Function<String, RedisNode> connect, Environment env) {
        config.requireKnownOptions(new RedlockStrategyProvider());
        LockConfig own = withinLongestLease(config);
        RedlockProtocol.Joining joining = address -> new RedlockProtocol.Server(address, connect.apply(address));
        return connect(
                env,
                RedlockLocks.builder().config(own).nodes(servers, connect, env).build(),
                () -> Client.of(joining.joinAll(servers), joining, Settings.of(own), own, env));
    }

    static RedlockOperations connect(LockConfig given, Environment env) {
        LockConfig config = withinLongestLease(given);
        return connect(
                env,
                new RedlockStrategyProvider().newFactory(config),
                () -> RedlockStrategyProvider.newClient(config, env));
    }

    private static RedlockOperations connect(Environment env, DistributedLockFactory locks, Supplier<Client> client) {
        try {
            return new RedlockOperations(env, client.get(), locks);
        } catch (RuntimeException | Error e) {
            locks.close();
            throw e;
        }
    }

    /** The operator gives the max-lease of the clients, and takes no leases here. */
    private static LockConfig withinLongestLease(LockConfig given) {
        Duration longest = Settings.MAX_LEASE.duration(given, Duration.ofMillis(1), Duration.ofDays(1));
        return given.lockDefaults().lease().compareTo(longest) <= 0
                ? given
                : given.toBuilder()
                        .lockDefaults(LockOptions.builder().lease(longest).build())
                        .build();
    }

    /**
     * Asks the nodes for their status.
     *
     * @return the status of the cluster
     * @throws LockBackendException if too few of them answer
     */
    public Status status() {
        Configuration configuration = change.learn();
        return new Status(
                configuration.revision(),
                configuration.isJoint(),
                configuration.nodes().stream()
                        .map(node -> describe(node, configuration))
                        .toList());
    }

    private Node describe(ListedNode node, Configuration configuration) {
        Eligibility eligibility = client.eligibility(node.index());
        Optional<Duration> votesIn = eligibility == null || eligibility.exclusion() != null
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, eligibility.votesInNanos(env.nanoTime()))));
        return new Node(
                node.address(),
                node.phase().name().toLowerCase(Locale.ROOT),
                eligibility != null,
                change.isInformed(node.index(), configuration),
                votesIn);
    }

    /**
     * Replaces a node by another one. Blocks until the new list alone counts, for at least as long as the longest lease
     * of any client.
     *
     * <p>Returns at once if the nodes have the new list already. But clients may have founded that list before, which
     * clients with the old list do not take over. Then the change is carried out nevertheless, provided that no node is
     * gone, that the leaving node answers and has the old list, and that each other node has the new list, or none.
     * Otherwise clients with the old list have to be given the new one.
     *
     * @param leaving host and port of the node that leaves, as {@link #status} shows it
     * @param joining host and port of the node that joins, under which all clients reach it
     * @param gone the addresses of nodes of the old list that are stopped for good, so that they need not be told
     * @param progress called with a text each time the change waits for something
     * @throws IllegalArgumentException if there is no such node
     * @throws IllegalStateException if another change is under way
     * @throws LockBackendException if too few nodes answer
     * @throws InterruptedException if the thread is interrupted; calling this method again continues the change
     */
    public void replace(String leaving, String joining, Set<String> gone, Consumer<String> progress)
            throws InterruptedException {
        perform(
                Optional.of(Objects.requireNonNull(leaving, "leaving")),
                Optional.of(Objects.requireNonNull(joining, "joining")),
                gone,
                progress);
    }

    /**
     * Adds a node. Blocks, reports its progress and fails as {@link #replace} does. Clients with the old list have to
     * be given the new one if other clients have founded that before.
     *
     * @param joining host and port of the node that joins
     * @param gone the addresses of nodes that are stopped for good
     * @param progress called with a text each time the change waits for something
     * @throws InterruptedException if the thread is interrupted
     */
    public void add(String joining, Set<String> gone, Consumer<String> progress) throws InterruptedException {
        perform(Optional.empty(), Optional.of(Objects.requireNonNull(joining, "joining")), gone, progress);
    }

    /**
     * Removes a node. Blocks, reports its progress and fails as {@link #replace} does.
     *
     * @param leaving host and port of the node that leaves
     * @param gone the addresses of nodes that are stopped for good
     * @param progress called with a text each time the change waits for something
     * @throws InterruptedException if the thread is interrupted
     */
    public void remove(String leaving, Set<String> gone, Consumer<String> progress) throws InterruptedException {
        perform(Optional.of(Objects.requireNonNull(leaving, "leaving")), Optional.empty(), gone, progress);
    }

    private void perform(
            Optional<String> leaving, Optional<String> joining, Set<String> gone, Consumer<String> progress)
            throws InterruptedException {
        progress.accept("waiting for the lock \"" + LOCK + "\", which keeps two operators apart");
        Optional<Configuration> ahead = change.foundedAhead(leaving, joining, gone);
        if (ahead.isEmpty()) {
            perform(locks, leaving, joining, gone, progress);
        } else {
            // Its nodes may vote for clients that go by it, and for no other ones.
            try (DistributedLockFactory others = client.locks(ahead.get())) {
                perform(others, leaving, joining, gone, progress);
            }
        }
    }

    private void perform(
            DistributedLockFactory factory,
            Optional<String> leaving,
            Optional<String> joining,
            Set<String> gone,
            Consumer<String> progress)
            throws InterruptedException {
        LockHandle held;
        try {
            held = acquire(factory);
        } catch (LockBackendException e) {
            if (e.reason() == Reason.REFUSED || !change.performWithoutLock(leaving, joining, gone, progress)) {
                throw e;
            }
            return;
        }
        try {
            change.perform(leaving, joining, gone, progress, () -> held.ensureValid(Duration.ZERO));
        } finally {
            release(held);
        }
    }

    /**
     * Releases the lock of the operators. If it is lost, the change has ended nevertheless, or tells why it has not.
     */
    private static void release(LockHandle held) {
        try {
            held.close();
        } catch (LeaseLostException lost) {
            // Nothing is left to do under the lock.
        }
    }

    /**
     * Acquires the lock of the operators. While a change is under way and a node does not answer, the vote of the node
     * that joins is needed, to which a client that has just learned the list has yet to connect.
     */
    private LockHandle acquire(DistributedLockFactory factory) throws InterruptedException {
        DistributedLock lock = factory.getLock(LOCK);
        long until = env.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return lock.tryAcquire(PATIENCE)
                        .orElseThrow(() -> new LockBackendException(
                                Reason.REFUSED,
                                "another operator changes the nodes now: wait until that has ended, and call again"));
            } catch (LockBackendException e) {
                if (e.reason() == Reason.REFUSED || env.nanoTime() - until >= 0) {
                    throw e;
                }
            }
            client.look();
        }
    }

    /** Closes the connections. A change that has begun is continued when its method is called again. */
    @Override
    public void close() {
        client.quorum.close();
        locks.close();
    }

    /** The connections of a client that takes no locks. */
    record Client(
            Environment env,
            Quorum quorum,
            Births births,
            Settings settings,
            RedlockProtocol.Joining joining,
            LockConfig config)
            implements NodeChange.Nodes {
        private static final Duration LOOK = Duration.ofMillis(200);

        /** Makes the connections to the nodes of a cluster. */
        static Client of(
                List<RedlockProtocol.Server> servers,
                RedlockProtocol.Joining joining,
                Settings settings,
                LockConfig config,
                Environment env) {
            Births births = settings.births(
                    env,
                    Scripts.birthRecord(config.keyPrefix()),
                    servers.stream().map(RedlockProtocol.Server::address).toList());
            if (births == null) {
                servers.forEach(server -> server.node().close());
                throw new IllegalArgumentException(
                        "with the option cold-start=trust nodes keep no record of the nodes there are:"
                                + " use wait, as the clients do, or change the lists of all clients at one moment, with no lock held");
            }
            Quorum quorum = new Quorum(servers, joining, settings, births, config.commandTimeout(), env);
            return new Client(env, quorum, births, settings, joining, config);
        }

        /** Makes locks of a client that asks the nodes on a list. The caller must close the factory. */
        DistributedLockFactory locks(Configuration list) {
            List<String> addresses =
                    list.nodes().stream().map(ListedNode::address).toList();
            return RedlockProtocol.newFactory(joining.joinAll(addresses), joining, settings, config, env, null);
        }

        @Override
        public @Nullable Eligibility eligibility(int index) {
            return index < quorum.size() ? quorum.get(index).eligibility() : null;
        }

        @Override
        public void look() {
            Poll poll = new Poll(
                    env,
                    quorum,
                    settings.patience(config.commandTimeout(), config.commandTimeout()),
                    answers -> IntStream.range(0, answers.size()).allMatch(i -> answers.answer(i) != null));
            RedisCommand read = RedisCommand.of("HGET", births.key(), "id");
            for (int i = 0; i < poll.size(); i++) {
                poll.ask(i, Request.Kind.READ, recordId -> read);
            }
            poll.await(env.nanoTime() + LOOK.toNanos());
            poll.close();
            quorum.onRecord();
            long until = env.nanoTime() + LOOK.toNanos();
            for (long left = LOOK.toNanos(); left > 0; left = until - env.nanoTime()) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                env.park(this, left);
            }
        }

        @Override
        public Optional<NodeChange.KeptList> listAt(String address) {
            RedlockProtocol.Server server = joining.join(address);
            try {
                Object list = read(server, "config");
                return list != null && "1".equals(String.valueOf(read(server, "founded")))
                        ? Optional.of(new NodeChange.KeptList(
                                Configuration.parse(list.toString()), String.valueOf(read(server, "run"))))
                        : Optional.empty();
            } catch (IllegalArgumentException e) {
                throw new LockBackendException(
                        Reason.REFUSED, address + " has no list that can be read: " + e.getMessage(), e);
            } finally {
                server.node().close();
            }
        }

        private @Nullable Object read(RedlockProtocol.Server server, String field) {
            return server.node().call(RedisCommand.of("HGET", births.key(), field), config.commandTimeout());
        }

        @Override
        public void requireCount(int count) {
            settings.requireCount(count);
        }

        @Override
        public long driftNanos(Duration time) {
            return settings.driftNanos(time);
        }
    }
}
