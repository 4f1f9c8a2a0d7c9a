// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.DistributedLocks;
import dev.interlock.LeaseLostException;
import dev.interlock.LockBackendException;
import dev.interlock.LockConfig;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.redlock.lead.LeadScripts;
import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The servers of one test, each behind a proxy, and the clients that were created to use them. */
public final class Fixture implements AutoCloseable {
    /** Long enough for any machine; only a failing test waits for all of it. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    public final List<RedisServer> servers = new ArrayList<>();
    public final List<FaultProxy> proxies = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();

    public Fixture(int nodes) {
        for (int i = 0; i < nodes; i++) {
            servers.add(RedisServer.start());
            proxies.add(FaultProxy.to(servers.get(i)));
            loadScripts(servers.get(i));
        }
    }

    /** The script that renews leases. */
    public static LuaScript renewScript() {
        return LuaScript.load(Scripts.class, "redlock-renew.lua");
    }

    /** Returns whether a command calls a script for a lock, by its digest or in full. */
    public static boolean isCall(List<String> command, LuaScript script, String name) {
        return command.contains(key(name)) && (command.contains(script.sha1()) || command.contains(script.source()));
    }

    /** Loads the scripts into a server, which might otherwise miss the first locks because the others are faster. */
    static void loadScripts(RedisServer server) {
        List<String> sources = new ArrayList<>();
        for (String script : List.of("birth/enrol", "confirm", "redlock-renew", "restore")) {
            sources.add(LuaScript.load(Scripts.class, script + ".lua").source());
        }
        for (LuaScript script : List.of(
                LeadScripts.TAKE,
                LeadScripts.RELEASE,
                LeadScripts.ASK,
                LeadScripts.PASS,
                LeadScripts.LEAVE,
                LeadScripts.STAND_BACK)) {
            sources.add(script.source());
        }
        sources.forEach(source -> server.command("SCRIPT", "LOAD", source));
    }

    public String endpoints() {
        return proxies.stream().map(FaultProxy::uri).collect(Collectors.joining(","));
    }

    /** Options with which fresh servers vote at once, and a slow machine does not look like a server that is down. */
    public static LockConfig.Builder trusting(LockConfig.Builder config) {
        return config.commandTimeout(Duration.ofSeconds(20))
                .option("cold-start", "trust")
                .option("node-timeout", "10s");
    }

    /** As {@link #trusting}, and no server is shed, however long it owes answers on a busy machine. */
    LockConfig.Builder unshed(LockConfig.Builder config) {
        return trusting(config)
                .option(
                        "node-timeouts",
                        proxies.stream()
                                .map(proxy -> "127.0.0.1:" + proxy.port() + "=30s")
                                .collect(Collectors.joining(",")));
    }

    public DistributedLockFactory factory() {
        return factory(Fixture::trusting);
    }

    public DistributedLockFactory factory(UnaryOperator<LockConfig.Builder> tweak) {
        return closeLater(DistributedLocks.getInstance("redlock", config(tweak)));
    }

    /** A factory whose waiters are granted a lock for so long that no test has to be quick. */
    public DistributedLockFactory generous() {
        LockConfig config = config(Fixture::trusting);
        Environment env = Environment.system();
        return closeLater(RedlockProtocol.newFactory(
                servers(config, env, (index, node) -> node),
                address -> join(address, config, env),
                Settings.of(config).withLongestGrant(QueueFixture.GRANT),
                config,
                env,
                null));
    }

    private LockConfig config(UnaryOperator<LockConfig.Builder> tweak) {
        return tweak.apply(LockConfig.builder().endpoints(endpoints())).build();
    }

    /** A factory whose attempts are reported to a list. */
    public DistributedLockFactory reporting(
            UnaryOperator<LockConfig.Builder> tweak, Collection<AttemptReport> reports) {
        LockConfig config = config(tweak);
        Environment env = Environment.system();
        return closeLater(RedlockProtocol.newFactory(
                servers(config, env, (index, node) -> node),
                address -> join(address, config, env),
                Settings.of(config),
                config,
                env,
                reports::add));
    }

    /** The bare protocol, over nodes that a test may have wrapped. */
    public LeaseProtocol protocol(
            UnaryOperator<LockConfig.Builder> tweak,
            Environment env,
            BiFunction<Integer, RedisNode, RedisNode> wrapper,
            Collection<AttemptReport> reports) {
        return protocol(tweak, env, wrapper, reports, settings -> settings);
    }

    /** The bare protocol, with settings that are no options. */
    LeaseProtocol protocol(
            UnaryOperator<LockConfig.Builder> tweak,
            Environment env,
            BiFunction<Integer, RedisNode, RedisNode> wrapper,
            Collection<AttemptReport> reports,
            UnaryOperator<Settings> set) {
        LockConfig config = config(tweak);
        return closeLater(new RedlockProtocol(
                servers(config, env, wrapper),
                address -> join(address, config, env),
                set.apply(Settings.of(config)),
                config,
                env,
                new AttemptReport.Listeners(List.of(reports::add))));
    }

    private static RedlockProtocol.Server join(String address, LockConfig config, Environment env) {
        RedisEndpoint endpoint = RedisEndpoint.parse("redis://" + address);
        return new RedlockProtocol.Server(
                endpoint.toString(),
                RedisNodes.open(Settings.of(config).library(), List.of(endpoint), ConnectionSettings.of(config), env)
                        .get(0));
    }

    private static List<RedlockProtocol.Server> servers(
            LockConfig config, Environment env, BiFunction<Integer, RedisNode, RedisNode> wrapper) {
        List<RedisEndpoint> endpoints = RedisEndpoint.allOf(config);
        List<RedisNode> nodes =
                RedisNodes.open(Settings.of(config).library(), endpoints, ConnectionSettings.of(config), env);
        List<RedlockProtocol.Server> servers = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            servers.add(new RedlockProtocol.Server(endpoints.get(i).toString(), wrapper.apply(i, nodes.get(i))));
        }
        return servers;
    }

    public <T extends AutoCloseable> T closeLater(T resource) {
        open.add(resource);
        return resource;
    }

    public static List<AttemptReport> reports() {
        return new CopyOnWriteArrayList<>();
    }

    public static LockOptions unrenewed(Duration lease) {
        return LockOptions.builder().lease(lease).renewal(false).build();
    }

    public static Claim claim(String name) {
        return claim(name, Duration.ofSeconds(60));
    }

    public static Claim claim(String name, Duration lease) {
        return new Claim(name, Environment.system().newToken(), lease, PATIENCE, 3);
    }

    public static String key(String name) {
        return "interlock:{" + name + "}";
    }

    static String fence(String name) {
        return key(name) + ":fence";
    }

    /** Writes the key of another holder, without an expiry, on some servers. */
    public void holdElsewhere(String name, int... nodes) {
        for (int node : nodes) {
            servers.get(node).command("SET", key(name), "somebody-else");
        }
    }

    /** The servers on which a lock is taken, by any holder. */
    public List<Integer> takenOn(String name) {
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            if (servers.get(i).command("GET", key(name)) != null) {
                taken.add(i);
            }
        }
        return taken;
    }

    /**
     * Makes servers with a birth record look as if clients had watched them for long, and makes clients read the record
     * again.
     */
    public void growOld(Duration age) {
        for (RedisServer server : servers) {
            if (Long.valueOf(1).equals(server.command("EXISTS", "interlock:birth"))) {
                server.command("HSET", "interlock:birth", "age", Long.toString(age.toMillis()));
            }
            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        }
    }

    /** The uptime that a server reports. */
    public long uptimeSeconds(int server) {
        return String.valueOf(servers.get(server).command("INFO", "server"))
                .lines()
                .filter(line -> line.startsWith("uptime_in_seconds:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }

    public void awaitTakenOn(String name, Integer... nodes) {
        await().atMost(PATIENCE).until(() -> takenOn(name).equals(List.of(nodes)));
    }

    /**
     * Acquires a lock on all servers. Retries, since a server that has owed an answer for long is not asked at first.
     */
    public LockHandle acquireEverywhere(DistributedLock lock) {
        return await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(LockBackendException.class)
                .until(
                        () -> {
                            LockHandle lease = lock.acquire();
                            if (takenOn(lock.name()).size() == servers.size()) {
                                return lease;
                            }
                            lease.close();
                            return null;
                        },
                        Objects::nonNull);
    }

    /** Makes sure that all servers know the scripts and have their connections, so that what follows can be counted. */
    public void warmUp(DistributedLockFactory factory) {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            factory.getLock("warm-up").lock();
            List<Integer> taken = takenOn("warm-up");
            factory.getLock("warm-up").unlock();
            return taken.size() == servers.size();
        });
        awaitTakenOn("warm-up");
    }

    /**
     * A thread that takes a lock and gives it back. Again if it was lost meanwhile: what is handed over is good for two
     * seconds, in which a busy machine may not come to renew it.
     */
    static FutureTask<Object> passing(DistributedLock lock) {
        return start(() -> {
            LeaseLostException tooSlow = null;
            for (int i = 0; i < 5; i++) {
                lock.lock();
                try {
                    lock.unlock();
                    return null;
                } catch (LeaseLostException e) {
                    tooSlow = e;
                }
            }
            throw new AssertionError("lost each time", tooSlow);
        });
    }

    public static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "actor");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::resume);
        for (int i = open.size() - 1; i >= 0; i--) {
            try {
                open.get(i).close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        proxies.forEach(FaultProxy::close);
        servers.forEach(RedisServer::close);
    }
}
