// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A primary with replicas, and three sentinels that watch them, two of which must agree on a failover: {@code
 * redis-server} processes of our own on free ports of the loopback interface, which have found each other when this
 * object is returned.
 *
 * <p>The sentinels ask and tell each other more often than they do by default, so that a failover takes about two
 * seconds. They do not fail over because the machine is busy: a server is down for them after {@value #STEADY_SECONDS}
 * seconds of silence, except while a test {@linkplain #killPrimary kills} or {@linkplain #pausePrimary pauses} the
 * primary, or when it {@linkplain #downAfter says otherwise}.
 *
 * <p>Servers that are still running when the JVM ends are killed. Instances are safe to use from any thread.
 */
public final class SentinelServers implements AutoCloseable {
    private static final String NAME = "mymaster";
    private static final int SENTINELS = 3;
    private static final int QUORUM = 2;
    private static final int STEADY_SECONDS = 60;
    private static final Duration QUICK = Duration.ofSeconds(1);
    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final String NEVER_MILLIS = Long.toString(FOR_EVER.toMillis());
    private static final Duration FAILOVER_TIMEOUT = Duration.ofSeconds(5);

    private final List<RedisServer> servers;
    private final List<RedisServer> sentinels;
    private final @Nullable String password;
    /** The port on which the sentinels find the first primary, if it is not its own. */
    private volatile @Nullable Integer watchedPort;

    private volatile Duration downAfter = Duration.ofSeconds(STEADY_SECONDS);

    private SentinelServers(List<RedisServer> servers, List<RedisServer> sentinels, @Nullable String password) {
        this.servers = servers;
        this.sentinels = sentinels;
        this.password = password;
    }

    /**
     * Starts a primary with two replicas, and their sentinels.
     *
     * @param extraArgs more arguments for the primary and its replicas; with {@code "--requirepass"} the replicas and
     *     the sentinels log in with that password, while the sentinels themselves ask for none
     * @return the servers, of which each sentinel knows all
     * @throws RedisServerException if one does not start, or they do not find each other
     */
    public static SentinelServers start(String... extraArgs) {
        return start(2, extraArgs);
    }

    /**
     * Starts a primary with replicas, and their sentinels.
     *
     * @param replicas how many replicas
     * @param extraArgs more arguments for the primary and its replicas, as in {@link #start(String...)}
     * @return the servers, of which each sentinel knows all
     * @throws RedisServerException if one does not start, or they do not find each other
     */
    public static SentinelServers start(int replicas, String... extraArgs) {
        List<String> arguments = List.of(extraArgs);
        List<RedisServer> servers = ServerStart.together(replicas + 1, ServerStart.withReplication(arguments));
        List<RedisServer> sentinels = new ArrayList<>();
        SentinelServers started = new SentinelServers(servers, sentinels, ServerStart.password(arguments));
        try {
            sentinels.addAll(ServerStart.together(SENTINELS, List.of("--sentinel")));
            started.introduce();
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void introduce() {
        RedisServer primary = servers.get(0);
        for (RedisServer replica : servers.subList(1, servers.size())) {
            replica.command("REPLICAOF", "127.0.0.1", Integer.toString(primary.port()));
            replica.command("CONFIG", "REWRITE");
        }
        // A sentinel asks a primary for its replicas rarely, but at once when it begins to watch it.
        Polling.until("the replicas follow the primary", this::describe, () -> hasReplicas(primary));
        for (RedisServer sentinel : sentinels) {
            // The period of pings stays as it is, because it also limits the age of a replica's last reply.
            sentinel.command(
                    "SENTINEL",
                    "DEBUG",
                    "info-period",
                    "500",
                    "ask-period",
                    "200",
                    "publish-period",
                    "200",
                    "tilt-trigger",
                    "10000",
                    "tilt-period",
                    "2000");
            watch(sentinel, primary.port(), FAILOVER_TIMEOUT);
        }
        awaitSettled();
    }

    private void watch(RedisServer sentinel, int port, Duration failoverTimeout) {
        sentinel.command("SENTINEL", "MONITOR", NAME, "127.0.0.1", Integer.toString(port), Integer.toString(QUORUM));
        set(sentinel, "failover-timeout", Long.toString(failoverTimeout.toMillis()));
        set(sentinel, "down-after-milliseconds", Long.toString(downAfter.toMillis()));
        if (password != null) {
            set(sentinel, "auth-pass", password);
        }
    }

    /**
     * Makes the sentinels watch the primary through a proxy, whose address they then announce to clients. Traffic of
     * the sentinels is exempt from the proxy's faults. The primary must stay the primary as long as the servers run.
     *
     * @param proxy a proxy to the primary
     */
    public void watchThrough(FaultProxy proxy) {
        proxy.spare("sentinel-");
        watchThrough(proxy.port());
    }

    /**
     * Makes the sentinels watch the primary through another port, which they then announce to clients. The primary must
     * stay the primary as long as the servers run.
     *
     * @param port the port of something that passes on what is said to the primary
     */
    public void watchThrough(int port) {
        downAfter = FOR_EVER;
        for (RedisServer sentinel : sentinels) {
            sentinel.command("SENTINEL", "REMOVE", NAME);
            // Replicas do not go through the proxy either; sentinels would redirect them late.
            watch(sentinel, port, FOR_EVER);
        }
        watchedPort = port;
        awaitSettled();
    }

    /**
     * Makes the sentinels send the primary nothing but {@code PING} from now on, so that all other work of the primary
     * is due to clients. The sentinels do not learn of replicas and sentinels that join later.
     */
    public void fallSilent() {
        for (RedisServer sentinel : sentinels) {
            sentinel.command("SENTINEL", "DEBUG", "info-period", NEVER_MILLIS, "publish-period", NEVER_MILLIS);
        }
    }

    private static void set(RedisServer sentinel, String option, String value) {
        sentinel.command("SENTINEL", "SET", NAME, option, value);
    }

    /**
     * Returns the name by which the sentinels know the primary.
     *
     * @return the name
     */
    public String masterName() {
        return NAME;
    }

    /**
     * Returns the endpoint for clients.
     *
     * @return {@code redis-sentinel://} with the addresses of the sentinels, database 0, and the primary's name
     */
    public String uri() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + NAME));
    }

    /**
     * Returns the sentinels.
     *
     * @return the sentinels, running or not
     */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /**
     * Returns the primary and its replicas.
     *
     * @return the servers, running or not, first the one that was the primary first
     */
    public List<RedisServer> servers() {
        return servers;
    }

    /**
     * Returns the server that is the primary according to the sentinels.
     *
     * @return the first server that one of the sentinels names
     */
    public RedisServer primary() {
        for (RedisServer sentinel : responsive(sentinels)) {
            return primary(sentinel);
        }
        throw new IllegalStateException("no sentinel is running");
    }

    private RedisServer primary(RedisServer sentinel) {
        List<?> address = sentinel.list("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
        String port = String.valueOf(address.get(1));
        Integer front = watchedPort;
        if (front != null && port.equals(front.toString())) {
            return servers.get(0);
        }
        for (RedisServer server : servers) {
            if (port.equals(Integer.toString(server.port()))) {
                return server;
            }
        }
        throw new RedisServerException("the sentinel on port " + sentinel.port() + " names no server of ours");
    }

    /**
     * Returns the servers that are not the primary.
     *
     * @return the servers, running or not
     */
    public List<RedisServer> replicas() {
        RedisServer primary = primary();
        return servers.stream().filter(server -> server != primary).toList();
    }

    /**
     * Kills the primary. The sentinels notice within a second or two.
     *
     * @return the server that was killed, to be given to {@link #awaitPrimaryOtherThan}
     */
    public RedisServer killPrimary() {
        RedisServer primary = primary();
        primary.kill();
        noticeQuickly();
        return primary;
    }

    /**
     * Pauses the primary. The sentinels notice within a second or two. When it is {@linkplain RedisServer#resume
     * resumed}, it acts as the primary until a sentinel tells it otherwise.
     *
     * @return the server that stands still, to be given to {@link #awaitPrimaryOtherThan}
     */
    public RedisServer pausePrimary() {
        RedisServer primary = primary();
        primary.pause();
        noticeQuickly();
        return primary;
    }

    /**
     * Cuts the primary off from the sentinels and the replicas, which notice within a second or two. It acts as a
     * primary as long as it runs. Connections of the default user are closed and refused: clients on the primary's side
     * of the partition log in as another user.
     *
     * @return the server that was cut off, to be given to {@link #awaitPrimaryOtherThan}
     */
    public RedisServer isolatePrimary() {
        RedisServer primary = primary();
        primary.command("ACL", "SETUSER", "default", "off");
        primary.command("CLIENT", "KILL", "USER", "default", "SKIPME", "yes");
        noticeQuickly();
        return primary;
    }

    /**
     * Tells the sentinels to promote a replica, and waits until they agree on it and all running servers follow it. As
     * everywhere, the former primary accepts writes, which are then lost, until a sentinel makes it a replica a moment
     * later.
     *
     * @return the new primary
     * @throws RedisServerException if that does not happen within a minute
     */
    public RedisServer switchOver() {
        RedisServer former = primary();
        RedisServer sentinel = responsive(sentinels).get(0);
        // A sentinel without recent news of a replica refuses.
        Polling.until(
                "a sentinel begins a failover",
                this::describe,
                () -> "OK".equals(sentinel.command("SENTINEL", "FAILOVER", NAME)));
        long[] asked = {System.nanoTime()};
        Polling.until("a sentinel has led a failover", this::describe, () -> {
            boolean done = primary(sentinel) != former;
            // It silently gives up a failover that takes too long.
            if (!done
                    && System.nanoTime() - asked[0]
                            >= FAILOVER_TIMEOUT.multipliedBy(2).toNanos()) {
                asked[0] = System.nanoTime();
                sentinel.command("SENTINEL", "FAILOVER", NAME);
            }
            return done;
        });
        RedisServer promoted = awaitPrimaryOtherThan(former);
        awaitSettled();
        return promoted;
    }

    /**
     * Waits until all running sentinels name one and the same other primary, and it is one.
     *
     * @param former the former primary
     * @return the new primary
     * @throws RedisServerException if that does not happen within a minute
     */
    public RedisServer awaitPrimaryOtherThan(RedisServer former) {
        Polling.until("there is another primary", this::describe, () -> primary() != former && agree());
        tellDownAfter(responsive(sentinels), downAfter);
        return primary();
    }

    /**
     * Waits until the sentinels agree on the primary and know each other, and all other running servers are replicas
     * that have the primary's data. A server that is paused is resumed or killed first.
     *
     * @throws RedisServerException if that does not happen within a minute
     */
    public void awaitSettled() {
        Polling.until(
                "sentinels and servers know each other",
                this::describe,
                () -> agree()
                        && hasReplicas(primary())
                        && responsive(sentinels).stream().allMatch(this::knowsAll)
                        && responsive(servers).stream().allMatch(SentinelServers::answers));
    }

    /** Returns whether a server answers. A sentinel that demotes a server closes all connections to it, also ours. */
    private static boolean answers(RedisServer server) {
        return "PONG".equals(server.command("PING"));
    }

    private boolean agree() {
        RedisServer primary = primary();
        return replication(primary).contains("role:master")
                && responsive(sentinels).stream()
                        .allMatch(sentinel -> primary(sentinel) == primary
                                && watched(sentinel).getOrDefault("flags", "").equals("master"));
    }

    private boolean knowsAll(RedisServer sentinel) {
        return sentinel.command("SENTINEL", "CKQUORUM", NAME) instanceof String
                && healthy(sentinel, "SENTINELS", "sentinel")
                        >= responsive(sentinels).size() - 1
                && healthy(sentinel, "REPLICAS", "slave") >= responsive(servers).size() - 1;
    }

    private static long healthy(RedisServer sentinel, String whom, String flags) {
        return sentinel.list("SENTINEL", whom, NAME).stream()
                .map(each -> fields((List<?>) each))
                .filter(each -> flags.equals(each.get("flags")) && !"err".equals(each.get("master-link-status")))
                .count();
    }

    private static Map<String, String> watched(RedisServer sentinel) {
        return fields(sentinel.list("SENTINEL", "MASTER", NAME));
    }

    private static Map<String, String> fields(List<?> list) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < list.size(); i += 2) {
            fields.put(String.valueOf(list.get(i)), String.valueOf(list.get(i + 1)));
        }
        return fields;
    }

    private boolean hasReplicas(RedisServer primary) {
        long online = replication(primary)
                .lines()
                .filter(line -> line.startsWith("slave") && line.contains("state=online"))
                .count();
        return online == responsive(servers).size() - 1;
    }

    private static String replication(RedisServer server) {
        return String.valueOf(server.command("INFO", "replication"));
    }

    private static List<RedisServer> responsive(List<RedisServer> servers) {
        return servers.stream().filter(RedisServer::isResponsive).toList();
    }

    /**
     * Sets the time of silence after which a sentinel counts a server as down.
     *
     * @param time the time, {@value #STEADY_SECONDS} seconds at first; too short a one lets a busy machine cause
     *     failovers
     */
    public void downAfter(Duration time) {
        downAfter = time;
        tellDownAfter(responsive(sentinels), time);
    }

    /**
     * Makes two sentinels notice quickly. If all three want to lead the failover, each votes for itself, and they try
     * again much later.
     */
    private void noticeQuickly() {
        tellDownAfter(responsive(sentinels).stream().limit(QUORUM).toList(), QUICK);
    }

    private static void tellDownAfter(List<RedisServer> sentinels, Duration time) {
        sentinels.forEach(sentinel -> set(sentinel, "down-after-milliseconds", Long.toString(time.toMillis())));
    }

    private String describe() {
        StringBuilder text = new StringBuilder();
        for (RedisServer sentinel : responsive(sentinels)) {
            text.append(sentinel).append(": ").append(watched(sentinel)).append('\n');
        }
        for (RedisServer server : responsive(servers)) {
            text.append(server).append(": ").append(replication(server)).append('\n');
        }
        return text.toString();
    }

    /** Kills all processes and deletes their directories; has no effect if called again. */
    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }

    @Override
    public String toString() {
        return "SentinelServers[" + uri() + "]";
    }
}
