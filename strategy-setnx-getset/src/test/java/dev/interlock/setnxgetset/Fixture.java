// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.connect.RedisNodes;
import dev.interlock.redis.endpoint.RedisEndpoint;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A server of its own for one test, the factories made for it, and the threads started in it. */
final class Fixture implements AutoCloseable {
    /** Long enough for any machine, since it is only ever waited out by a test that fails. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** For one request, or to connect: longer than a machine that is busy takes for it. */
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    static final Duration HOUR = Duration.ofHours(1);
    static final String NAME = "foo";
    static final String KEY = "lock.foo";

    final RedisServer server = RedisServer.start();
    private final List<DistributedLockFactory> factories = new ArrayList<>();
    private final List<LeaseProtocol> protocols = new ArrayList<>();

    DistributedLockFactory factory(String... options) {
        return factory(Duration.ZERO, node -> node, options);
    }

    /** A factory on a machine whose wall clock is ahead. */
    DistributedLockFactory skewed(Duration ahead, String... options) {
        return factory(ahead, node -> node, options);
    }

    DistributedLockFactory factory(Duration ahead, UnaryOperator<RedisNode> wrapping, String... options) {
        return factory(server.uri(), ahead, wrapping, options);
    }

    DistributedLockFactory factory(String uri, Duration ahead, UnaryOperator<RedisNode> wrapping, String... options) {
        LockConfig.Builder builder = LockConfig.builder().endpoints(uri).commandTimeout(TIMEOUT);
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        LockConfig config = builder.build();
        Environment env = new SkewedWallClock(Environment.system(), ahead);
        RedisNode node =
                RedisNodes.interlock(RedisEndpoint.of(config.endpoints().get(0)), config, env);
        DistributedLockFactory factory =
                SetnxGetsetProtocol.newFactory(wrapping.apply(node), Settings.of(config), config, env);
        factories.add(factory);
        return factory;
    }

    /** A protocol whose requests wait for longer than any test takes. */
    LeaseProtocol protocol(
            UnaryOperator<LockConfig.Builder> options, Supplier<Duration> ahead, UnaryOperator<RedisNode> wrapping) {
        LockConfig config = options.apply(
                        LockConfig.builder().endpoints(server.uri()).commandTimeout(PATIENCE))
                .build();
        Environment env = new SkewedWallClock(Environment.system(), ahead);
        LeaseProtocol protocol = SetnxGetsetProtocol.newProtocol(
                wrapping.apply(
                        RedisNodes.interlock(RedisEndpoint.of(config.endpoints().get(0)), config, env)),
                Settings.of(config),
                config,
                env);
        protocols.add(protocol);
        return protocol;
    }

    /**
     * Opens the connection, which the short lease that a test takes next shall not have to wait for: it counts from
     * before its request.
     */
    static DistributedLockFactory connect(DistributedLockFactory factory) {
        factory.getLock("to connect").lock();
        factory.getLock("to connect").unlock();
        return factory;
    }

    /** Not renewed, as the lease of a holder that died. */
    static LockOptions abandoned(Duration lease) {
        return LockOptions.builder().lease(lease).renewal(false).build();
    }

    String value() {
        return (String) server.command("GET", KEY);
    }

    static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "actor");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    @Override
    public void close() {
        factories.forEach(DistributedLockFactory::close);
        protocols.forEach(LeaseProtocol::close);
        server.close();
    }
}
