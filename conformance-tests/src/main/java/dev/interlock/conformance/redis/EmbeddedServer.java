// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import dev.interlock.testservers.RedisServer;

/** A {@code redis-server} process on this machine. */
final class EmbeddedServer implements OwnServer {
    private final RedisServer server = RedisServer.start();

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
