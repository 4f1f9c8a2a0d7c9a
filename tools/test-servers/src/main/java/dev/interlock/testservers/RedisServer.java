// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A running {@code redis-server} process of our own, on a free port of the loopback interface, which keeps nothing on
 * disk unless it is {@linkplain #stop stopped}.
 *
 * <p>Servers that are still running when the JVM ends are killed. Instances are safe to use from any thread.
 */
public final class RedisServer implements AutoCloseable {
    /** The name of this fixture's own connections, as {@code CLIENT LIST} shows it. */
    public static final String CLIENT_NAME = "embedded-redis";

    private static final int START_TRIES = 5;
    private static final int COMMAND_TIMEOUT_MILLIS = 10_000;
    private static final long START_TIMEOUT_SECONDS = 30;
    private static final long STOP_TIMEOUT_SECONDS = 5;
    private static final long POLL_NANOS = 2_000_000;
    private static final String CONFIGURATION = "redis.conf";
    private static final String DUMP = "dump.rdb";
    private static final Pattern COMMAND_CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");
    private static final Set<RedisServer> RUNNING = ConcurrentHashMap.newKeySet();

    /** Held while a process is being started, so that none starts after the shutdown hook has run. */
    private static final ReentrantLock STARTING = new ReentrantLock();

    private static boolean jvmEnds;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(RedisServer::abandonAll, "stop-embedded-redis"));
    }

    private final List<String> extraArgs;
    private final Path directory;
    private final ReentrantLock lock = new ReentrantLock();
    private final int port;

    /** The second port of a node of a cluster, by which the nodes talk to each other; 0 for any other server. */
    private final int busPort;

    private volatile Process process;
    private volatile @Nullable RespConnection connection;
    private volatile boolean paused;
    private Duration clockAhead = Duration.ZERO;
    private boolean closed;

    private RedisServer(List<String> extraArgs) throws IOException {
        this.port = Ports.free();
        this.busPort = extraArgs.contains("--cluster-enabled") ? Ports.free() : 0;
        this.extraArgs = extraArgs;
        STARTING.lock();
        try {
            requireLivingJvm();
            this.directory = Files.createTempDirectory("embedded-redis");
            // A server can keep its configuration, as sentinels must, only if it was started with a file.
            Files.createFile(directory.resolve(CONFIGURATION));
            this.process = launch();
            RUNNING.add(this);
        } finally {
            STARTING.unlock();
        }
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @param extraArgs more arguments for {@code redis-server}, such as {@code "--maxmemory", "1mb"}; with
     *     {@code "--requirepass"} this object logs in with that password, with {@code "--cluster-enabled", "yes"} the
     *     server gets a free port for the cluster's bus too, and with {@code "--sentinel"} it is a sentinel
     * @return the server
     * @throws RedisServerException if it does not start; the message carries its log
     */
    public static RedisServer start(String... extraArgs) {
        RedisServerException last = new RedisServerException("redis-server was not started");
        for (int i = 0; i < START_TRIES; i++) {
            RedisServer server;
            try {
                server = new RedisServer(List.of(extraArgs));
            } catch (IOException e) {
                throw new RedisServerException("cannot start redis-server", e);
            }
            try {
                server.awaitReady();
                return server;
            } catch (RedisServerException e) {
                server.close();
                last = e;
                // "Address already in use" or "Address in use", as the C library of the binary has it.
                if (!e.says("in use")) {
                    break;
                }
            }
        }
        throw last;
    }

    private static void requireLivingJvm() {
        if (jvmEnds) {
            throw new RedisServerException("redis-server is not started any more, because this JVM is ending");
        }
    }

    private static void abandonAll() {
        List<RedisServer> left;
        STARTING.lock();
        try {
            jvmEnds = true;
            left = List.copyOf(RUNNING);
        } finally {
            STARTING.unlock();
        }
        abandon(left);
    }

    /** Kills servers without taking their locks, which may never be released. */
    private static void abandon(List<RedisServer> servers) {
        // All are killed before any step that can fail.
        servers.forEach(server -> server.process.destroyForcibly());
        for (RedisServer server : servers) {
            server.process.onExit().join();
            try {
                server.deleteDirectory();
            } catch (UncheckedIOException e) {
                // The system cleans up its temporary directory.
            }
        }
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                RedisExecutable.path(),
                CONFIGURATION,
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--save",
                "",
                "--appendonly",
                "no",
                "--dbfilename",
                DUMP));
        if (busPort > 0) {
            command.addAll(List.of("--cluster-port", Integer.toString(busPort)));
        }
        command.addAll(extraArgs);
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
    }

    private Path log() {
        return directory.resolve("server.log");
    }

    private void awaitReady() {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_TIMEOUT_SECONDS);
        while (process.isAlive() && System.nanoTime() - giveUp < 0) {
            try {
                String info = String.valueOf(command("INFO"));
                // Another program may have taken the port first.
                if (info.contains("process_id:" + process.pid() + "\r\n") && !info.contains("\r\nloading:1\r\n")) {
                    return;
                }
            } catch (RedisServerException e) {
                if (e.says("NOAUTH") || e.says("WRONGPASS")) {
                    throw e;
                }
            }
            sleepAMoment();
        }
        throw new RedisServerException(
                "redis-server does not answer on port " + port + "; its log says:\n" + readLog());
    }

    private String readLog() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            return "(cannot be read: " + e.getMessage() + ")";
        }
    }

    /**
     * Returns the port, which stays the same after a restart.
     *
     * @return the port
     */
    public int port() {
        return port;
    }

    /**
     * Returns the id of the present or last process.
     *
     * @return the process id
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Returns the endpoint of this server.
     *
     * @return {@code redis://127.0.0.1:port}
     */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Pauses the process, and waits until it is stopped: connections stay open, and nothing is answered. */
    public void pause() {
        lock.lock();
        try {
            requireRunning();
            Signals.stop(pid());
            paused = true;
        } finally {
            lock.unlock();
        }
    }

    /** Resumes a paused process. Has no effect on a running one. */
    public void resume() {
        lock.lock();
        try {
            requireRunning();
            Signals.goOn(pid());
            paused = false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Steps the wall clock of the process, and of no other. After a restart it is right again.
     *
     * @param step forward, or back if negative, in whole seconds
     * @throws IllegalStateException if the process is paused, since it cannot tell its time
     * @throws RedisServerException if that {@linkplain ServerClock#obstacle() cannot be done here}
     */
    public void stepClock(Duration step) {
        lock.lock();
        try {
            requireRunning();
            if (paused) {
                throw new IllegalStateException("redis-server on port " + port + " is paused: resume() it first");
            }
            long begin = System.nanoTime();
            long before = timeSeconds();
            clockAhead = clockAhead.plus(step);
            ServerClock.set(pid(), clockAhead);
            long difference = timeSeconds() - before - step.toSeconds();
            // The server tells whole seconds here, and its clock goes on meanwhile.
            if (difference < -1 || difference > 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin)) {
                throw new RedisServerException(
                        "the clock of the server on port " + port + " has not been stepped as it should");
            }
        } finally {
            lock.unlock();
        }
    }

    private long timeSeconds() {
        return Long.parseLong(String.valueOf(list("TIME").get(0)));
    }

    /**
     * Tells whether the process exists, paused or not.
     *
     * @return {@code false} from when it was killed or stopped until it is started again
     */
    public boolean isRunning() {
        return process.isAlive();
    }

    /** Returns the port of the cluster's bus, or 0 if there is none. */
    int busPort() {
        return busPort;
    }

    /** Returns whether the process exists and is not paused. */
    boolean isResponsive() {
        return isRunning() && !paused;
    }

    private void requireRunning() {
        if (!isRunning()) {
            throw new IllegalStateException("redis-server on port " + port + " is not running: restart() it first");
        }
    }

    /** Kills the process and waits for its end. Connections to the port are refused from then on. */
    public void kill() {
        lock.lock();
        try {
            process.destroyForcibly().onExit().join();
            paused = false;
            disconnect();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Shuts the process down after it has saved its data, and waits for its end. Connections to the port are refused
     * from then on.
     *
     * @throws IllegalStateException if it is not running
     * @throws RedisServerException if it does not end
     */
    public void stop() {
        lock.lock();
        try {
            requireRunning();
            Object reply = connect().call("SHUTDOWN", "SAVE");
            throw new RedisServerException("the server on port " + port + " does not shut down: " + reply);
        } catch (IOException e) {
            // A server that is shutting down replies like this.
            awaitEnd(e);
            disconnect();
        } finally {
            lock.unlock();
        }
    }

    private void awaitEnd(IOException answer) {
        process.onExit()
                .completeOnTimeout(process, STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .join();
        if (process.isAlive()) {
            throw new RedisServerException("the server on port " + port + " does not shut down", answer);
        }
    }

    /**
     * Starts the server again on the same port, without data, after killing it if it runs.
     *
     * @throws IllegalStateException if this object is closed
     * @throws RedisServerException if it does not start; the message carries its log
     */
    public void restart() {
        lock.lock();
        try {
            kill();
            Files.deleteIfExists(directory.resolve(DUMP));
            startAgain();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete what was saved", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts the server again on the same port, with the data that it had when it was last stopped, after
     * {@linkplain #stop stopping} it if it runs.
     *
     * @throws IllegalStateException if this object is closed
     * @throws RedisServerException if it does not start; the message carries its log
     */
    public void restartWithData() {
        lock.lock();
        try {
            if (isRunning()) {
                stop();
            }
            startAgain();
        } finally {
            lock.unlock();
        }
    }

    private void startAgain() {
        if (closed) {
            throw new IllegalStateException("the server on port " + port + " is closed: start another one");
        }
        STARTING.lock();
        try {
            requireLivingJvm();
            process = launch();
            clockAhead = Duration.ZERO;
        } catch (IOException e) {
            throw new RedisServerException("cannot start redis-server", e);
        } finally {
            STARTING.unlock();
        }
        awaitReady();
    }

    /**
     * Carries out a command over this object's own connection, one at a time.
     *
     * @param args its name and arguments
     * @return its reply: {@code null}, a {@link Long}, a {@link String}, or a {@link List} of these, in which errors
     *     are {@link RedisServerException}s
     * @throws RedisServerException if the reply is an error, which is then the message, or there is none in ten seconds
     */
    public @Nullable Object command(String... args) {
        lock.lock();
        try {
            Object reply = connect().call(args);
            if (reply instanceof RedisServerException error) {
                throw error;
            }
            return reply;
        } catch (IOException e) {
            disconnect();
            throw new RedisServerException("the server on port " + port + " does not answer to " + args[0], e);
        } finally {
            lock.unlock();
        }
    }

    private RespConnection connect() throws IOException {
        RespConnection current = connection;
        if (current != null) {
            return current;
        }
        RespConnection opened = open();
        connection = opened;
        return opened;
    }

    /** Opens a connection that is logged in and has the fixture's client name. */
    RespConnection open() throws IOException {
        RespConnection opened = new RespConnection(port, COMMAND_TIMEOUT_MILLIS);
        try {
            String password = ServerStart.password(extraArgs);
            if (password != null) {
                require(opened.call("AUTH", password));
            }
            require(opened.call("CLIENT", "SETNAME", CLIENT_NAME));
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Changes one setting, also for later starts. {@code CONFIG REWRITE} would keep others too. */
    void configure(String name, String value) {
        command("CONFIG", "SET", name, value);
        try {
            Files.writeString(directory.resolve(CONFIGURATION), name + " " + value + "\n", StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the configuration of " + this, e);
        }
    }

    /** Carries out a command that is answered by a list. */
    List<?> list(String... args) {
        if (command(args) instanceof List<?> list) {
            return list;
        }
        throw new RedisServerException("the server on port " + port + " does not answer to " + args[0] + " by a list");
    }

    private static void require(@Nullable Object reply) {
        if (reply instanceof RedisServerException error) {
            throw error;
        }
    }

    private void disconnect() {
        RespConnection current = connection;
        connection = null;
        if (current != null) {
            try {
                current.close();
            } catch (IOException e) {
                // Nothing can be done about a socket that cannot be closed.
            }
        }
    }

    /** Returns whether a client address, as the server shows it, is that of the connection of {@link #command}. */
    boolean isOwn(String address) {
        RespConnection current = connection;
        return current != null && current.address().equals(address);
    }

    /**
     * Returns how often each command was called since the last {@code CONFIG RESETSTAT} or start, by clients, this
     * object, and scripts.
     *
     * @return the number of calls by command in lower case, such as {@code set} and {@code client|list}
     */
    public Map<String, Long> commandStats() {
        Map<String, Long> calls = new LinkedHashMap<>();
        Matcher matcher = COMMAND_CALLS.matcher(String.valueOf(command("INFO", "commandstats")));
        while (matcher.find()) {
            calls.put(matcher.group(1), Long.valueOf(matcher.group(2)));
        }
        return calls;
    }

    /**
     * Begins to watch the commands that clients send.
     *
     * @return the monitor, which has seen nothing yet and will miss nothing from now on
     */
    public CommandMonitor monitor() {
        try {
            return new CommandMonitor(this);
        } catch (IOException e) {
            throw new RedisServerException("cannot monitor the server on port " + port, e);
        }
    }

    /**
     * Kills the process, paused or not, waits for its end, and deletes its directory; has no effect if called again.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            kill();
            deleteDirectory();
            RUNNING.remove(this);
            Ports.giveBack(port);
            Ports.giveBack(busPort);
        } finally {
            lock.unlock();
        }
    }

    private void deleteDirectory() {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> content = Files.walk(directory)) {
            for (Path path : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + directory, e);
        }
    }

    /** The directory in which the process runs. */
    Path directory() {
        return directory;
    }

    private static void sleepAMoment() {
        LockSupport.parkNanos(POLL_NANOS);
    }

    @Override
    public String toString() {
        return "RedisServer[" + uri() + ", pid=" + pid() + "]";
    }
}
