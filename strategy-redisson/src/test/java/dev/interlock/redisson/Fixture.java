// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static org.awaitility.Awaitility.await;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisServerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/** A server of its own for one test, and the factories and plain clients made for it. */
final class Fixture implements AutoCloseable {
    /** Long enough for any machine, since it is only ever waited out by a test that fails. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** For one request, or to connect: longer than a machine that is busy takes for it. */
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    static final Duration LONG = Duration.ofMinutes(10);
    static final String NAME = "invoice:42";
    static final String CHANNEL = "redisson_lock__channel:{invoice:42}";
    static final String TOKEN = "redisson_lock_token:{invoice:42}";

    final RedisServer server;
    private final List<DistributedLockFactory> factories = new ArrayList<>();
    private final List<RedissonClient> clients = new ArrayList<>();

    Fixture(String... serverArguments) {
        this(RedisServer.start(serverArguments));
    }

    private Fixture(RedisServer server) {
        this.server = server;
    }

    /** A server in cluster mode that has all slots. */
    static Fixture clusterOfOne() {
        RedisServer node = startNode();
        node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        await().atMost(PATIENCE)
                .until(() -> node.command("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
        return new Fixture(node);
    }

    /** A node of a cluster, without slots. A node has a second port, which somebody may be using. */
    static RedisServer startNode() {
        RedisServerException last = null;
        for (int i = 0; i < 5; i++) {
            try {
                return RedisServer.start(
                        "--cluster-enabled",
                        "yes",
                        "--cluster-announce-ip",
                        "127.0.0.1",
                        "--cluster-config-file",
                        "nodes.conf");
            } catch (RedisServerException e) {
                last = e;
            }
        }
        throw last;
    }

    /** Our lock, over a client of its own, whose waiters are woken by messages alone and do not poll. */
    DistributedLock lock(LockOptions options) {
        return factory(config -> config).getLock(NAME, options);
    }

    DistributedLockFactory factory(UnaryOperator<LockConfig.Builder> tweak) {
        LockConfig.Builder config = LockConfig.builder()
                .endpoints(server.uri())
                .commandTimeout(TIMEOUT)
                .waitCeiling(Duration.ofMinutes(5));
        return add(new RedissonStrategyProvider().newFactory(tweak.apply(config).build()));
    }

    /** A factory over a client that is handed in. */
    DistributedLockFactory over(RedissonClient client, String... options) {
        LockConfig.Builder config = LockConfig.builder().commandTimeout(TIMEOUT);
        for (int i = 0; i < options.length; i += 2) {
            config.option(options[i], options[i + 1]);
        }
        return add(
                RedissonLocks.builder().redisson(client).config(config.build()).build());
    }

    private DistributedLockFactory add(DistributedLockFactory factory) {
        factories.add(factory);
        return factory;
    }

    /** A client as anybody has one, with Redisson's settings but for time-outs. */
    RedissonClient plain() {
        return plain(config -> {});
    }

    RedissonClient plain(Consumer<Config> tweak) {
        Config config = new Config();
        patient(config.useSingleServer()).setAddress(server.uri()).setConnectionMinimumIdleSize(1);
        tweak.accept(config);
        RedissonClient client = Redisson.create(config);
        clients.add(client);
        return client;
    }

    static <T extends BaseConfig<T>> T patient(T servers) {
        int timeout = Math.toIntExact(TIMEOUT.toMillis());
        return servers.setTimeout(timeout).setConnectTimeout(timeout).setSubscriptionTimeout(timeout);
    }

    static LockOptions lease(Duration lease) {
        return LockOptions.builder().lease(lease).build();
    }

    /** Options of a lease that is not renewed, as if its holder had died. */
    static LockOptions abandoned(Duration lease) {
        return LockOptions.builder().lease(lease).renewal(false).build();
    }

    boolean isTaken() {
        return server.command("EXISTS", NAME).equals(1L);
    }

    void awaitWaiter() {
        await().atMost(PATIENCE).until(() -> listeners() == 1);
    }

    /** How many clients listen for releases. */
    long listeners() {
        return (Long) ((List<?>) server.command("PUBSUB", "NUMSUB", CHANNEL)).get(1);
    }

    static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "actor");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    static <T> T result(FutureTask<T> task) throws Exception {
        return task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        factories.forEach(DistributedLockFactory::close);
        clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
        server.close();
    }
}
