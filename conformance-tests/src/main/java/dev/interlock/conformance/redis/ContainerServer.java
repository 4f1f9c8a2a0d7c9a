// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.redis;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.WaitContainerResultCallback;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Ports;
import dev.interlock.testservers.RedisServerException;
import dev.interlock.testservers.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container. The next test uses the container again, even after a restart, since containers start slowly.
 */
final class ContainerServer implements OwnServer, ServerPool.Server {
    private static final int PORT = 6379;
    private static final int COMMAND_TIMEOUT_MILLIS = 10_000;
    private static final long START_TIMEOUT_SECONDS = 60;
    private static final long STOP_TIMEOUT_SECONDS = 10;
    private static final int PAUSE_TRIES = 5;
    private static final long POLL_NANOS = 5_000_000;
    private static final Map<String, ServerPool<ContainerServer>> POOLS = new ConcurrentHashMap<>();

    private final String image;
    private final GenericContainer<?> container;
    private int port;
    private boolean paused;
    private @Nullable ServerState initial;

    private ContainerServer(String image) {
        this.image = image;
        this.container = new GenericContainer<>(DockerImageName.parse(image))
                .withExposedPorts(PORT)
                .withCommand("--save", "", "--appendonly", "no", "--protected-mode", "no", "--bind", "0.0.0.0")
                .waitingFor(new WaitedForLater());
    }

    /** Fails early if a library is missing, rather than when the first rule needs a server. */
    static void requireLibrary() {
        EmbeddedServer.requireLibrary();
        Objects.requireNonNull(GenericContainer.class.getName());
    }

    /** Takes a server that was given back, or starts one. */
    static ContainerServer take(String image) {
        return pool(image).take();
    }

    private static ServerPool<ContainerServer> pool(String image) {
        return POOLS.computeIfAbsent(image, it -> new ServerPool<>(() -> start(image)));
    }

    private static ContainerServer start(String image) {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            throw new IllegalStateException("no container engine answers: start Docker, or run the tests with -D"
                    + RedisHarness.PROPERTY + "=embedded or -D" + RedisHarness.PROPERTY + "=redis://host:port");
        }
        ContainerServer server = new ContainerServer(image);
        server.container.start();
        try {
            server.awaitReady();
            server.initial = server.call(ServerState::of);
        } catch (RuntimeException e) {
            server.container.stop();
            throw e;
        }
        return server;
    }

    /** A server is ready when it answers a PING, here and after restarts, which Testcontainers does not notice. */
    private static final class WaitedForLater extends AbstractWaitStrategy {
        @Override
        protected void waitUntilReady() {}
    }

    private void awaitReady() {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_TIMEOUT_SECONDS);
        while (true) {
            try {
                port = publishedPort();
                command("PING");
                return;
            } catch (RedisServerException e) {
                if (System.nanoTime() - giveUp >= 0) {
                    throw e;
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    private int publishedPort() {
        InspectContainerResponse state = docker().inspectContainerCmd(id()).exec();
        if (!Boolean.TRUE.equals(state.getState().getRunning())) {
            throw new IllegalStateException(
                    "the container of " + image + " does not run; its log says:\n" + container.getLogs());
        }
        Ports.Binding[] published = Objects.requireNonNull(
                state.getNetworkSettings().getPorts().getBindings().get(ExposedPort.tcp(PORT)),
                "a container that runs has the ports that it was made with");
        return Integer.parseInt(published[0].getHostPortSpec());
    }

    private static DockerClient docker() {
        return DockerClientFactory.instance().client();
    }

    private String id() {
        return container.getContainerId();
    }

    @Override
    public String host() {
        return container.getHost();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public void pause() {
        for (int i = 1; !paused; i++) {
            try {
                docker().pauseContainerCmd(id()).exec();
                paused = true;
            } catch (InternalServerErrorException e) {
                // The container engine gives up on a process that does not freeze in time, and lets it go on.
                if (i == PAUSE_TRIES) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void resume() {
        if (paused) {
            docker().unpauseContainerCmd(id()).exec();
            paused = false;
        }
    }

    @Override
    public void stop() {
        try (RespConnection connection = connect()) {
            Object reply = connection.call("SHUTDOWN", "SAVE");
            throw new RedisServerException("the server in the container does not shut down: " + reply);
        } catch (IOException e) {
            // A server that is shutting down replies with this error.
            awaitEnd();
        }
    }

    @Override
    public void kill() {
        // The container engine does not kill a paused container.
        resume();
        docker().killContainerCmd(id()).exec();
        awaitEnd();
    }

    private void awaitEnd() {
        docker().waitContainerCmd(id())
                .exec(new WaitContainerResultCallback())
                .awaitStatusCode(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void startWithData() {
        docker().startContainerCmd(id()).exec();
        awaitReady();
    }

    @Override
    public void startWithoutData() {
        startWithData();
        // The server has loaded the data that an earlier stop saved.
        command("FLUSHALL");
    }

    @Override
    public void command(String... args) {
        try (RespConnection connection = connect()) {
            if (connection.call(args) instanceof RedisServerException error) {
                throw error;
            }
        } catch (IOException e) {
            throw new RedisServerException("the server in the container does not answer to " + args[0], e);
        }
    }

    private RespConnection connect() throws IOException {
        return new RespConnection(host(), port, COMMAND_TIMEOUT_MILLIS);
    }

    /** Commands to send over one connection. */
    @FunctionalInterface
    private interface Talk<T> {
        T with(ServerState.Connection server) throws IOException;
    }

    private <T> T call(Talk<T> talk) {
        try (RespConnection connection = connect()) {
            return talk.with(connection::call);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void clean() {
        ServerState before = initial();
        call(server -> {
            before.clear(server);
            return true;
        });
    }

    @Override
    public boolean isAsGoodAsNew() {
        ServerState before = initial();
        return call(server -> {
            // The server may not have noticed yet that our last connection is closed.
            before.disconnectOthers(server);
            return before.isUnchanged(server);
        });
    }

    private ServerState initial() {
        return Objects.requireNonNull(initial, "set when the server was started");
    }

    @Override
    public void discard() {
        container.stop();
    }

    @Override
    public void close() {
        pool(image).giveBack(this);
    }
}
