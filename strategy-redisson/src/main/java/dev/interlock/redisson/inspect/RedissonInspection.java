// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.inspect;

import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.redisson.keys.RedissonKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Inspects the hashes of locks, ours and plain ones. Does not reveal owner tokens. */
final class RedissonInspection implements LockInspection {
    private static final LuaScript LOOK = LuaScript.load(RedissonInspection.class, "redisson-look.lua");
    private static final LuaScript RELEASE = LuaScript.load(RedissonInspection.class, "release-by-force.lua");

    private static final String LISTENERS =
            "the number of waiters is that of the clients that listen for the release; some of them may have ended their wait";

    /** The most fields to read: the holder, and its thread. */
    private static final String MOST_FIELDS = "2";

    private static final String MOST_WAITERS = "100";
    private static final int FIXED_PARTS = 5;

    /** The field of a holder: the id of a client, and one of its threads or an owner token of ours. */
    private static final Pattern FIELD =
            Pattern.compile("([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(?:(\\d+)|([A-Za-z0-9_-]+))");

    /** The number that is added to the holds of a thread, see {@code holds.lua}. */
    private static final long KEPT = 1L << 32;

    private final RedisNode node;
    private final RedissonKeys names;
    private final LockKeys keys;
    private final Duration timeout;
    private final String prefix;

    RedissonInspection(RedisNode node, String keyPrefix, Duration timeout) {
        this.node = node;
        this.names = new RedissonKeys(keyPrefix, name -> name, node.isSharded());
        this.keys = new LockKeys(keyPrefix);
        this.timeout = timeout;
        // The prefix that a plain name has before the name of the lock.
        String plain = names.plainName("");
        this.prefix = plain.isEmpty() ? "" : plain.substring(0, plain.length() - 1);
    }

    @Override
    public String keyPattern() {
        return prefix.replaceAll("[\\\\*?\\[\\]^]", "\\\\$0") + "*" + (prefix.isEmpty() ? "" : "}");
    }

    @Override
    public Optional<String> keyType() {
        return Optional.of("hash");
    }

    @Override
    public Optional<String> lockName(String key) {
        if (prefix.isEmpty()) {
            return Optional.of(key);
        }
        return key.startsWith(prefix) && key.endsWith("}")
                ? Optional.of(key.substring(prefix.length(), key.length() - 1))
                : Optional.empty();
    }

    /**
     * A hash of a lock.
     *
     * @param owner the name of the holder's field
     * @param holder the holder
     * @param holds how often it has entered the lock; empty if that is not in Redis
     * @param reply the reply of the script
     */
    private record Held(String owner, LockParty holder, OptionalLong holds, List<?> reply) {}

    @Override
    public Optional<InspectedLock> look(String name) {
        return read(name).map(held -> inspected(name, held));
    }

    private InspectedLock inspected(String name, Held held) {
        List<?> reply = held.reply();
        long millis = (Long) reply.get(0);
        String fence = (String) reply.get(1);
        long listeners = (Long) reply.get(2);
        long queued = (Long) reply.get(3);
        List<LockParty> waiters = new ArrayList<>();
        for (Object waiter : reply.subList(FIXED_PARTS + 2 * fields(reply), reply.size())) {
            Matcher plain = FIELD.matcher((String) waiter);
            if (plain.matches() && plain.group(2) != null) {
                waiters.add(LockParty.ofClient(plain.group(1), plain.group(2)));
            }
        }
        OptionalLong waiting = queued > 0 ? OptionalLong.of(queued) : OptionalLong.of(listeners);
        return new InspectedLock(
                name,
                held.holder().with(held.holder().since(), FactoryCard.find(node, keys, held.holder(), timeout)),
                millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis)),
                fence.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(fence)) : OptionalLong.empty(),
                waiters,
                listeners < 0 && queued == 0 ? OptionalLong.empty() : waiting,
                held.holds(),
                Optional.empty(),
                queued == 0 && listeners > 0 ? LISTENERS : "");
    }

    private static int fields(List<?> reply) {
        return ((Long) reply.get(FIXED_PARTS - 1)).intValue();
    }

    private Optional<Held> read(String name) {
        Object reply = node.call(
                RedisCommand.script(
                        LOOK,
                        List.of(names.lock(name), names.token(name), names.queue(name)),
                        List.of(
                                MOST_FIELDS,
                                MOST_WAITERS,
                                names.channel(name),
                                node.isSharded() ? "SHARDNUMSUB" : "NUMSUB")),
                timeout);
        return reply instanceof List<?> seen ? held(seen) : Optional.empty();
    }

    /** Reads the fields of a lock; empty if they are not those of a lock. */
    private static Optional<Held> held(List<?> reply) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < fields(reply); i++) {
            fields.put((String) reply.get(FIXED_PARTS + 2 * i), (String) reply.get(FIXED_PARTS + 2 * i + 1));
        }
        @Nullable Matcher ours = null;
        @Nullable Matcher plain = null;
        for (String field : fields.keySet()) {
            Matcher matcher = FIELD.matcher(field);
            if (!matcher.matches() || !String.valueOf(fields.get(field)).matches("\\d{1,18}")) {
                return Optional.empty();
            }
            if (matcher.group(2) == null) {
                ours = matcher;
            } else {
                plain = matcher;
            }
        }
        Optional<String> thread = Optional.ofNullable(plain).map(matcher -> matcher.group(2));
        OptionalLong holds = plain == null
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(String.valueOf(fields.get(plain.group()))) % KEPT);
        if (ours != null) {
            LockParty party = LockParty.of(ours.group(3)).through(ours.group(1), thread);
            return Optional.of(new Held(ours.group(), party, holds, reply));
        }
        if (plain != null && fields.size() == 1) {
            LockParty party = LockParty.ofClient(plain.group(1), plain.group(2));
            return Optional.of(new Held(plain.group(), party, holds, reply));
        }
        return Optional.empty();
    }

    @Override
    public boolean release(InspectedLock lock) {
        String name = lock.name();
        Optional<Held> held =
                read(name).filter(it -> it.holder().claim().equals(lock.holder().claim()));
        return held.isPresent()
                && Long.valueOf(1)
                        .equals(node.call(
                                RedisCommand.script(
                                        RELEASE,
                                        List.of(names.lock(name), names.queue(name)),
                                        List.of(
                                                held.get().owner(),
                                                names.channel(name),
                                                node.isSharded() ? "SPUBLISH" : "PUBLISH")),
                                timeout));
    }

    @Override
    public void close() {
        node.close();
    }
}
