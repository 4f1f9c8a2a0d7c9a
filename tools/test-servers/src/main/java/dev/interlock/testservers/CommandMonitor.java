// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Watches the commands that clients send to a {@link RedisServer}, in the order in which the server carries them out.
 *
 * <p>It does not show commands that scripts run, commands of the server object itself, and {@code PING}, which clients
 * send at any time. The server hides the arguments of {@code AUTH}. Instances are safe to use from any thread.
 */
public final class CommandMonitor implements AutoCloseable {
    private static final long SYNC_TIMEOUT_SECONDS = 10;
    private static final Pattern LINE = Pattern.compile("\\d+\\.\\d+ \\[\\d+ ([^]]+)] (.*)");
    /** Skips unescaped text in one step: a script is longer than the regular expression can backtrack. */
    private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");

    private final RedisServer server;
    private final RespConnection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition progress = lock.newCondition();
    private final List<List<String>> commands = new ArrayList<>();
    private final Map<String, Long> numbersByClient = new HashMap<>();
    private String lastMarker = "";
    private @Nullable Exception end;

    CommandMonitor(RedisServer server) throws IOException {
        this.server = server;
        this.connection = server.open();
        Object reply = connection.call("MONITOR");
        if (reply instanceof RedisServerException error) {
            connection.close();
            throw error;
        }
        connection.timeout(0);
        Thread reader = new Thread(this::read, "redis-monitor-" + server.port());
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try {
            while (true) {
                see(String.valueOf(connection.read()));
            }
        } catch (IOException | RuntimeException e) {
            lock.lock();
            try {
                end = e;
                progress.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private void see(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new RedisServerException("cannot read what MONITOR says: " + line);
        }
        String client = matcher.group(1);
        if (client.equals("lua")) {
            return;
        }
        List<String> command = arguments(matcher.group(2));
        lock.lock();
        try {
            if (!server.isOwn(client)) {
                if (!command.get(0).equals("PING")) {
                    commands.add(command);
                    numbersByClient.merge(client, 1L, Long::sum);
                }
            } else if (command.get(0).equals("ECHO")) {
                lastMarker = command.get(1);
                progress.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    static List<String> arguments(String text) {
        List<String> arguments = new ArrayList<>();
        Matcher matcher = ARGUMENT.matcher(text);
        while (matcher.find()) {
            arguments.add(unescape(matcher.group(1)));
        }
        return arguments;
    }

    private static String unescape(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int next = 0;
        while (next < text.length()) {
            char c = text.charAt(next++);
            if (c != '\\') {
                bytes.write(c);
                continue;
            }
            char escaped = text.charAt(next++);
            switch (escaped) {
                case 'n' -> bytes.write('\n');
                case 'r' -> bytes.write('\r');
                case 't' -> bytes.write('\t');
                case 'a' -> bytes.write(7);
                case 'b' -> bytes.write('\b');
                case 'x' -> {
                    bytes.write(Integer.parseInt(text.substring(next, next + 2), 16));
                    next += 2;
                }
                default -> bytes.write(escaped);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /**
     * Waits until this monitor has seen all that the server has carried out so far.
     *
     * @throws RedisServerException if that does not happen within ten seconds, or the server has gone away
     */
    public void sync() {
        String marker = UUID.randomUUID().toString();
        server.command("ECHO", marker);
        lock.lock();
        try {
            long nanos = TimeUnit.SECONDS.toNanos(SYNC_TIMEOUT_SECONDS);
            while (!lastMarker.equals(marker)) {
                if (end != null) {
                    throw new RedisServerException("the monitor was disconnected", end);
                }
                if (nanos <= 0) {
                    throw new RedisServerException("the monitor does not hear the server");
                }
                nanos = progress.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisServerException("interrupted while waiting for the monitor", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the commands that clients have sent, after a {@link #sync}.
     *
     * @return each with its name and arguments, as they were written
     */
    public List<List<String>> commands() {
        sync();
        lock.lock();
        try {
            return List.copyOf(commands);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the number of commands of each connection, after a {@link #sync}.
     *
     * @return the numbers by the client's address, as {@code CLIENT LIST} shows it
     */
    public Map<String, Long> numbersByClient() {
        sync();
        lock.lock();
        try {
            return Map.copyOf(numbersByClient);
        } finally {
            lock.unlock();
        }
    }

    /** Discards the commands seen so far, after a {@link #sync}. */
    public void clear() {
        sync();
        lock.lock();
        try {
            commands.clear();
            numbersByClient.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the watch. The commands seen so far are kept. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (IOException e) {
            throw new RedisServerException("cannot close the monitor's connection", e);
        }
    }
}
