// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/** A {@code redis-server} process on this machine. The next test uses it again, unless a fault has hit its process. */
final class EmbeddedServer implements OwnServer, ServerPool.Server {
    private static final ServerPool<EmbeddedServer> POOL =
            new ServerPool<>(() -> new EmbeddedServer(RedisServer.start()));

    private final RedisServer server;
    private final ServerPool<EmbeddedServer> pool;
    private final ServerState initial;
    private boolean tamperedWith;

    /** Wraps a server that is as good as new. */
    EmbeddedServer(RedisServer server) {
        this(server, POOL);
    }

    /** Wraps a server that is as good as new, and that {@link #close} gives back to a pool. */
    EmbeddedServer(RedisServer server, ServerPool<EmbeddedServer> pool) {
        this.server = server;
        this.pool = pool;
        try {
            initial = ServerState.of(server::command);
        } catch (IOException e) {
            server.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Hands out a server that was given back, or starts one. */
    static EmbeddedServer take() {
        return POOL.take();
    }

    /** Fails early if the library of the servers is missing, rather than when the first rule needs a server. */
    static void requireLibrary() {
        Objects.requireNonNull(FaultProxy.class.getName());
        Objects.requireNonNull(RedisServer.class.getName());
    }

    @Override
    public String host() {
        return "127.0.0.1";
    }

    @Override
    public int port() {
        return server.port();
    }

    long pid() {
        return server.pid();
    }

    @Override
    public void pause() {
        tamperedWith = true;
        server.pause();
    }

    @Override
    public void resume() {
        server.resume();
    }

    @Override
    public void stop() {
        tamperedWith = true;
        server.stop();
    }

    @Override
    public void kill() {
        tamperedWith = true;
        server.kill();
    }

    @Override
    public void startWithData() {
        server.restartWithData();
    }

    @Override
    public void startWithoutData() {
        server.restart();
    }

    @Override
    public void command(String... args) {
        server.command(args);
    }

    @Override
    public void clean() {
        try {
            initial.clear(server::command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isAsGoodAsNew() {
        try {
            return initial.isUnchanged(server::command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void discard() {
        server.close();
    }

    @Override
    public void close() {
        if (tamperedWith) {
            discard();
        } else {
            pool.giveBack(this);
        }
    }
}
