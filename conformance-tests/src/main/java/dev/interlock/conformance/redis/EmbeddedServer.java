// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.testservers.FaultProxy;
import dev.interlock.testservers.RedisServer;
import java.util.Objects;

/** A {@code redis-server} process on this machine. */
final class EmbeddedServer implements OwnServer {
    private final RedisServer server = RedisServer.start();

    /** Fails at once, and not when the first rule needs a server, where the servers' library is missing. */
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

    @Override
    public void pause() {
        server.pause();
    }

    @Override
    public void resume() {
        server.resume();
    }

    @Override
    public void stop() {
        server.stop();
    }

    @Override
    public void kill() {
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
    public void close() {
        server.close();
    }
}
