// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.ServerExamination;
import dev.interlock.redis.ServerInfo;
import dev.interlock.redis.endpoint.ConnectionSettings;
import dev.interlock.redis.endpoint.RedisCredentials;
import dev.interlock.redis.endpoint.RedisEndpoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One server as connections of our own see it: where it is, how to log in, whether it has been examined, and since when the connections
 * are the same. Safe to use from any thread.
 */
public final class ServerAccess {
    /** Counted for all servers together, so that none of them has the number of another one. */
    private static final AtomicLong GENERATIONS = new AtomicLong();

    private final Environment env;
    private final Failures failures;
    private final RedisEndpoint endpoint;
    private final ConnectionSettings settings;
    private final @Nullable ServerExamination examination;
    private volatile boolean examined;
    private volatile long generation = GENERATIONS.incrementAndGet();

    public ServerAccess(
            Environment env, Failures failures, RedisEndpoint endpoint, ConnectionSettings settings, boolean examines) {
        this.env = env;
        this.failures = failures;
        this.endpoint = endpoint;
        this.settings = settings;
        this.examination = examines ? new ServerExamination(endpoint.toString()) : null;
    }

    public RedisEndpoint endpoint() {
        return endpoint;
    }

    public ConnectionSettings settings() {
        return settings;
    }

    public Failures failures() {
        return failures;
    }

    /** Returns which state of the connections to the server this is, see {@link dev.interlock.redis.RedisNode#generation}. */
    public long generation() {
        return generation;
    }

    /** Notes that a connection was opened, on which nothing was sent yet that counts, or that the server may be another one now. */
    public void changed() {
        generation = GENERATIONS.incrementAndGet();
    }

    /** Whether a log-in may block for the application's supplier of credentials. */
    public boolean suppliesCredentials() {
        return settings.credentials().isPresent();
    }

    /** Finds out with what to log in; may block if credentials are supplied. */
    public Optional<Login> nextLogin() {
        Optional<Supplier<RedisCredentials>> supplier = settings.credentials();
        if (supplier.isPresent()) {
            try {
                return Optional.of(new Login(env, supplier.get().get()));
            } catch (RuntimeException e) {
                throw failures.noCredentials(e);
            }
        }
        return endpoint.password()
                .map(password -> endpoint.username()
                        .map(user -> RedisCredentials.of(user, password))
                        .orElseGet(() -> RedisCredentials.of(password)))
                .map(credentials -> new Login(env, credentials));
    }

    /** Returns the commands that a server need not allow: those that follow a log-in, and whose errors do not matter. */
    public List<RedisCommand> optionalCommands() {
        List<RedisCommand> commands = new ArrayList<>();
        settings.clientName().ifPresent(name -> commands.add(RedisCommand.of("CLIENT", "SETNAME", name)));
        if (mustExamine()) {
            commands.add(ServerInfo.COMMAND);
        }
        return commands;
    }

    /** Whether the next connection has to ask the server about itself. */
    public boolean mustExamine() {
        return examination != null && !examined;
    }

    /**
     * Looks at the reply to one of the {@link #optionalCommands}.
     *
     * @param asked when it was sent
     * @throws LockBackendException if the server cannot keep locks
     */
    public void accept(RedisCommand command, @Nullable Object reply, Instant asked) {
        if (examination != null && command.equals(ServerInfo.COMMAND)) {
            if (reply instanceof String text) {
                examine(examination, ServerInfo.read(text), asked);
            }
            // A user who may not ask is not told again and again.
            examined = true;
        }
    }

    private void examine(ServerExamination with, ServerInfo info, Instant asked) {
        try {
            with.examine(info, asked, now());
        } catch (LockBackendException e) {
            if (info.primary().isPresent()) {
                // A command would have been told the same.
                throw new ServerErrorException(e.reason(), String.valueOf(e.getMessage()), ServerError.READ_ONLY);
            }
            throw e;
        }
    }

    public Instant now() {
        return Instant.ofEpochMilli(env.currentTimeMillis());
    }

    /** Has the next connection examine the server again: another process may be behind the address. */
    public void examineAgain() {
        examined = false;
    }
}
