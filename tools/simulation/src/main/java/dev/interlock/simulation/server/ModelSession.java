// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One connection to a {@link RedisModel}: the keys that it watches, and the transaction that it has begun. */
public final class ModelSession {
    private static final Answer.Status QUEUED = new Answer.Status("QUEUED");

    private final RedisModel model;
    private final Map<String, Keyspace.Sight> watched = new HashMap<>();
    private @Nullable List<Queued> queue;

    /** Whether a command was refused that should have become part of the transaction. */
    private boolean spoilt;

    private record Queued(String name, List<String> args) {}

    ModelSession(RedisModel model) {
        this.model = model;
    }

    /**
     * Carries out a command, or makes it part of the transaction that has begun.
     *
     * @param micros the server's time, in µs since the epoch
     * @param name the command
     * @param args its arguments
     * @return a {@link Long}, {@link String}, {@link List}, {@link Answer} or {@code null}
     */
    public @Nullable Object call(long micros, String name, List<String> args) {
        List<Queued> begun = queue;
        String upper = name.toUpperCase(Locale.ROOT);
        return switch (upper) {
            case "EXEC" -> begun == null ? new Answer.Failure("ERR EXEC without MULTI") : execute(micros, begun);
            case "DISCARD" -> {
                if (begun == null) {
                    yield new Answer.Failure("ERR DISCARD without MULTI");
                }
                end();
                yield Answer.OK;
            }
            default -> begun == null ? plain(micros, upper, args) : queue(micros, begun, upper, args);
        };
    }

    private @Nullable Object plain(long micros, String name, List<String> args) {
        return switch (name) {
            case "MULTI" -> {
                queue = new ArrayList<>();
                yield Answer.OK;
            }
            case "WATCH" -> {
                if (args.isEmpty()) {
                    yield new Answer.Failure("ERR wrong number of arguments for 'watch' command");
                }
                model.at(micros);
                args.forEach(key -> watched.putIfAbsent(key, model.keys().sight(key)));
                yield Answer.OK;
            }
            case "UNWATCH" -> {
                watched.clear();
                yield Answer.OK;
            }
            default -> model.call(micros, name, args);
        };
    }

    private Object queue(long micros, List<Queued> begun, String name, List<String> args) {
        if (isNested(name) && model.flavour() == Flavour.VALKEY_9) {
            spoilt = true;
            return new Answer.Failure("ERR Command '" + name + "' not allowed inside a transaction");
        }
        Answer.Failure refusal = name.equals("UNWATCH") || isNested(name) ? null : model.refusal(name, args);
        // Redis 7.0 refuses all, since the transaction itself needs memory.
        if (refusal == null
                && model.isWithoutMemory()
                && (model.flavour() == Flavour.REDIS_7 || Commands.grows(name))) {
            refusal = Commands.OUT_OF_MEMORY;
        }
        if (refusal != null) {
            spoilt = true;
            return refusal;
        }
        if (isNested(name)) {
            return new Answer.Failure("ERR " + name + " inside MULTI is not allowed");
        }
        model.at(micros);
        // A transaction that is not carried out needs no memory.
        if (!spoilt && !hasChanged()) {
            begun.add(new Queued(name, List.copyOf(args)));
        }
        return QUEUED;
    }

    private static boolean isNested(String name) {
        return name.equals("MULTI") || name.equals("WATCH");
    }

    private boolean hasChanged() {
        return watched.entrySet().stream().anyMatch(entry -> model.keys().hasChanged(entry.getKey(), entry.getValue()));
    }

    private @Nullable Object execute(long micros, List<Queued> begun) {
        model.at(micros);
        boolean changed = hasChanged();
        boolean refused =
                spoilt || (model.isWithoutMemory() && begun.stream().anyMatch(queued -> Commands.grows(queued.name)));
        end();
        if (refused) {
            return new Answer.Failure("EXECABORT Transaction discarded because of previous errors.");
        }
        if (changed) {
            return null;
        }
        List<@Nullable Object> replies = new ArrayList<>();
        begun.forEach(queued -> replies.add(plain(micros, queued.name, queued.args)));
        return replies;
    }

    private void end() {
        queue = null;
        spoilt = false;
        watched.clear();
    }
}
