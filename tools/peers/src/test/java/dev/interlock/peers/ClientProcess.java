// SPDX-License-Identifier: Apache-2.0
package dev.interlock.peers;

import dev.interlock.peers.client.Peer;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A lock client in a process of its own, which reads a command a line and answers with a line. Used by one thread. */
final class ClientProcess implements Peer {
    private final Process process;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    private ClientProcess(Process process) {
        this.process = process;
        this.commands = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a process and waits until it listens. */
    static ClientProcess start(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        try {
            ClientProcess peer = new ClientProcess(builder.start());
            peer.expect("ready");
            return peer;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
    }

    private void expect(String expected) {
        String answer = answer();
        if (!answer.equals(expected)) {
            close();
            throw new IllegalStateException("a peer has said \"" + answer + "\" and not \"" + expected + "\"");
        }
    }

    private String answer() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw new IllegalStateException("a peer has ended; its errors are above");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a command without waiting for its answer. */
    void send(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean ask(String command) {
        send(command);
        return answer().equals("yes");
    }

    /**
     * Makes the process take the lock and increment a number under it, again and again for a time. {@link #loaded}
     * waits for the end.
     */
    void load(Duration time, String counter) {
        send("load " + time.toMillis() / 1000.0 + " " + counter);
    }

    /** How often it has counted. */
    long loaded() {
        return Long.parseLong(answer());
    }

    /** Ends the load of a JVM before its time, and returns how often it has counted. */
    long stopLoad() {
        send("stop");
        return loaded();
    }

    @Override
    public boolean acquire(Duration lease, Duration wait) {
        return ask("acquire " + lease.toMillis() + " " + wait.toMillis());
    }

    @Override
    public void lock(Duration lease) {
        send("lock " + lease.toMillis());
        expect("yes");
    }

    /** The versions of the library and its interpreter. */
    String version() {
        send("version");
        return answer();
    }

    @Override
    public boolean release() {
        return ask("release");
    }

    @Override
    public boolean extend(Duration lease) {
        return ask("extend " + lease.toMillis());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
