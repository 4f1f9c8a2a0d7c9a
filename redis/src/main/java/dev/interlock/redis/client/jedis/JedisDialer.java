// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client.jedis;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.client.Deadline;
import dev.interlock.redis.client.Failures;
import dev.interlock.redis.client.Login;
import dev.interlock.redis.client.ServerAccess;
import dev.interlock.redis.client.ServerError;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.exceptions.JedisException;

/** Opens connections of our own to one server, and logs them in. */
public final class JedisDialer {
    private final Environment env;
    private final ServerAccess access;
    private final Failures failures;

    public JedisDialer(Environment env, ServerAccess access) {
        this.env = env;
        this.access = access;
        this.failures = access.failures();
    }

    ServerAccess access() {
        return access;
    }

    /** Returns the credentials for the next log-in. May block if a supplier provides them. */
    public Optional<Login> nextLogin() {
        return access.nextLogin();
    }

    /** Creates a connection that is not connected yet. */
    JedisConnection create() {
        return new JedisConnection(access.endpoint(), access.settings());
    }

    /** Opens a connection within the connect time-out. */
    JedisConnection open() {
        return open(new Deadline(env, access.settings().connectTimeout()));
    }

    /**
     * Opens a connection for a caller that writes to it and reads from it directly.
     *
     * @throws LockBackendException if there is none by the deadline
     */
    public JedisChannel openChannel(Deadline deadline) {
        JedisConnection connection = open(deadline);
        try {
            return new JedisChannel(connection);
        } catch (IOException e) {
            connection.closeSocket();
            throw failures.noConnection(e);
        }
    }

    private JedisConnection open(Deadline deadline) {
        JedisConnection connection = create();
        try {
            dial(connection, deadline);
            return connection;
        } catch (LockBackendException e) {
            connection.closeSocket();
            throw e;
        }
    }

    /** Connects and logs in; the caller gives up the connection if that fails. */
    void dial(JedisConnection connection, Deadline call) {
        Deadline bound = new Deadline(env, access.settings().connectTimeout());
        Deadline deadline = call.nanosLeft() < bound.nanosLeft() ? call : bound;
        Optional<Login> login = access.nextLogin();
        List<RedisCommand> required = new ArrayList<>();
        // A server that is stuck, or refuses to talk, should show it before it gets a command that changes a lock.
        required.add(login.map(Login::command).orElseGet(() -> RedisCommand.of("PING")));
        if (access.endpoint().database() != 0) {
            required.add(
                    RedisCommand.of("SELECT", Integer.toString(access.endpoint().database())));
        }
        List<RedisCommand> optional = access.optionalCommands();
        List<RedisCommand> all = new ArrayList<>(required);
        all.addAll(optional);
        try {
            connection.connect(deadline);
            Instant asked = access.now();
            JedisLine.send(connection, all);
            for (RedisCommand command : required) {
                requireNoError(connection, command, deadline);
            }
            for (RedisCommand command : optional) {
                connection.setSoTimeout(deadline.millisLeft());
                access.accept(command, JedisLine.read(connection), asked);
            }
            connection.loggedIn(login);
            access.changed();
        } catch (JedisException e) {
            throw JedisLine.isTimeout(e) ? failures.noConnectionInTime(deadline) : failures.noConnection(e);
        }
    }

    /** Logs a connection in again; the caller gives it up if that fails. */
    void logInAgain(JedisConnection connection, Deadline deadline) {
        Optional<Login> login = access.nextLogin();
        if (login.isPresent()) {
            try {
                RedisCommand command = login.get().command();
                JedisLine.send(connection, List.of(command));
                requireNoError(connection, command, deadline);
            } catch (JedisException e) {
                throw JedisLine.isTimeout(e) ? failures.noConnectionInTime(deadline) : failures.noConnection(e);
            }
        }
        connection.loggedIn(login);
    }

    /**
     * Logs in again on a connection without outstanding replies; the caller gives it up if that fails.
     *
     * @throws LockBackendException if there are no credentials, or the server refuses them or does not answer in time
     * @throws IOException if the connection has ended
     */
    public void logInAgain(JedisChannel channel, Deadline deadline) throws IOException {
        Optional<Login> login = access.nextLogin();
        if (login.isPresent()) {
            RedisCommand command = login.get().command();
            channel.write(command.encoded(), command.encoded().length);
            if (!channel.awaitReply(deadline)) {
                throw failures.noConnectionInTime(deadline);
            }
            if (channel.read(deadline) instanceof ServerError error) {
                throw failures.answered(command, error);
            }
        }
        channel.loggedIn(login);
    }

    private void requireNoError(JedisConnection connection, RedisCommand command, Deadline deadline) {
        connection.setSoTimeout(deadline.millisLeft());
        if (JedisLine.read(connection) instanceof ServerError error) {
            throw failures.answered(command, error);
        }
    }

    /** Records that another process may be behind the address from now on. */
    void doubt() {
        access.examineAgain();
    }
}
