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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state that all own connections to one server share: address, log-in, examination, and generation. Safe to use
 * from any thread.
 */
public final class ServerAccess {
    /** One counter for all servers, so that no two servers share a generation. */
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

    /** Returns the generation of the connections, see {@link dev.interlock.redis.RedisNode#generation}. */
    public long generation() {
        return generation;
    }

    /** Begins a new generation: a connection was opened and not used yet, or the server may be another one now. */
    public void changed() {
        generation = GENERATIONS.incrementAndGet();
    }

    /** Returns whether a log-in may block for the application's supplier of credentials. */
    public boolean suppliesCredentials() {
        return source().isPresent();
    }

    /** Returns the credentials for the next log-in. May block if a supplier provides them. */
    public Optional<Login> nextLogin() {
        Optional<Function<RedisEndpoint, RedisCredentials>> source = source();
        if (source.isPresent()) {
            try {
                return Optional.of(new Login(env, source.get().apply(endpoint)));
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

    private Optional<Function<RedisEndpoint, RedisCredentials>> source() {
        return endpoint.password().isPresent() ? Optional.empty() : settings.credentials();
    }

    /** Returns the commands that follow a log-in and that a server need not allow: their errors are ignored. */
    public List<RedisCommand> optionalCommands() {
        List<RedisCommand> commands = new ArrayList<>();
        settings.clientName().ifPresent(name -> commands.add(RedisCommand.of("CLIENT", "SETNAME", name)));
        if (mustExamine()) {
            commands.add(ServerInfo.COMMAND);
        }
        return commands;
    }

    /** Returns whether the next connection has to ask the server about itself. */
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
            // A user without the permission is not asked to log this again and again.
            examined = true;
        }
    }

    private void examine(ServerExamination with, ServerInfo info, Instant asked) {
        try {
            with.examine(info, asked, now());
        } catch (LockBackendException e) {
            if (info.primary().isPresent()) {
                // A lock's command would get the same error.
                throw new ServerErrorException(e.reason(), String.valueOf(e.getMessage()), ServerError.READ_ONLY);
            }
            throw e;
        }
    }

    public Instant now() {
        return Instant.ofEpochMilli(env.currentTimeMillis());
    }

    /** Makes the next connection examine the server again, since another process may be behind the address. */
    public void examineAgain() {
        examined = false;
    }
}
