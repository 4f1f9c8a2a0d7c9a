// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import dev.interlock.simulation.server.Keyspace.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The commands of hashes. */
final class Hashes {
    private final Supplier<Keyspace> keyspace;

    Hashes(Supplier<Keyspace> keyspace) {
        this.keyspace = keyspace;
    }

    private @Nullable Fields find(String key) {
        return Commands.fields(keyspace.get(), key);
    }

    private Fields findOrNew(String key) {
        Fields fields = find(key);
        return fields == null ? new Fields() : fields;
    }

    @Nullable
    Object get(List<String> args) {
        Fields fields = find(args.get(0));
        return fields == null ? null : fields.get(args.get(1));
    }

    Object all(List<String> args) {
        Fields fields = findOrNew(args.get(0));
        List<Object> all = new ArrayList<>();
        fields.forEach((field, value) -> {
            all.add(field);
            all.add(value);
        });
        return all;
    }

    Object set(List<String> args) {
        if (args.size() % 2 == 0) {
            throw new CommandException("ERR wrong number of arguments for 'hset' command");
        }
        Fields fields = findOrNew(args.get(0));
        long added = 0;
        for (int i = 1; i < args.size(); i += 2) {
            added += fields.put(args.get(i), args.get(i + 1)) == null ? 1 : 0;
        }
        keyspace.get().replace(args.get(0), fields);
        return added;
    }

    Object increment(List<String> args) {
        long by = RedisNumbers.integer(args.get(2));
        Fields fields = findOrNew(args.get(0));
        String before = fields.get(args.get(1));
        long value = 0;
        if (before != null) {
            try {
                value = RedisNumbers.integer(before);
            } catch (CommandException e) {
                throw new CommandException("ERR hash value is not an integer");
            }
        }
        try {
            long after = Math.addExact(value, by);
            fields.put(args.get(1), Long.toString(after));
            keyspace.get().replace(args.get(0), fields);
            return after;
        } catch (ArithmeticException e) {
            throw new CommandException("ERR increment or decrement would overflow");
        }
    }
}
