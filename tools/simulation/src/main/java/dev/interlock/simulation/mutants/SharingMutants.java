// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants;

import java.util.List;

/** Deliberate errors in the scripts of read/write locks, and of locks over several names, of set-nx-px. */
public final class SharingMutants {
    private static final String TOGETHER = "for i = 1, #KEYS, 3 do\n  local word, lease";

    /** All of them. */
    public static final List<Mutant> ALL = List.of(
            Mutant.ofScripts(
                    "read-ignores-the-writer",
                    "EXISTS', WRITER, TO_WRITE, TO_READ) == 0 then\n  local fence = ARGV",
                    "EXISTS', TO_WRITE, TO_READ) == 0 then\n  local fence = ARGV"),
            Mutant.ofScripts(
                    "read-waits-for-nobody",
                    "local free = not writer and redis.call('EXISTS', TO_WRITE) == 0",
                    "local free = true"),
            Mutant.ofScripts(
                    "write-ignores-readers",
                    "EXISTS', WRITER, READERS, TO_WRITE, TO_READ) == 0 then",
                    "EXISTS', WRITER, TO_WRITE, TO_READ) == 0 then"),
            Mutant.ofScripts(
                    "write-draws-no-token",
                    "if ARGV[3] == '1' then\n    local failure\n    fence, failure = draw(FENCE, 1, ARGV[4], micros())",
                    "if false then\n    local failure\n    fence, failure = draw(FENCE, 1, ARGV[4], micros())"),
            Mutant.ofScripts("write-keeps-its-place", "redis.call('ZREM', TO_WRITE, ARGV[6])", "local _ = TO_WRITE"),
            Mutant.ofScripts(
                    "reader-stays-when-it-unlocks", "redis.call('ZREM', READERS, ARGV[2])", "local _ = READERS"),
            Mutant.ofScripts(
                    "renew-extends-no-reader", "redis.call('ZADD', key, 'XX', 'GT', 'CH', now + lease, token)", "0"),
            Mutant.ofScripts(
                    "readers-have-no-end", "redis.call('PEXPIRE', READERS, math.max(left, life))", "local _ = READERS"),
            Mutant.ofScripts("dead-readers-stay", "redis.call('ZREMRANGEBYSCORE', READERS, '-inf', now) > 0", "false"),
            Mutant.ofScripts("admit-tells-nobody", "wake(numbers)\n  end", "local _ = numbers\n  end"),
            Mutant.ofScripts("admit-lets-in-nobody", "redis.pcall('ZADD', READERS, 'GT', now + lease, token)", "lease"),
            Mutant.ofScripts(
                    "promote-sets-no-lease",
                    "redis.pcall('SET', WRITER, MAGIC .. token, 'PX', lease).err",
                    "redis.pcall('SET', WRITER, MAGIC .. token).err"),
            Mutant.ofScripts(
                    "promote-tells-nobody", "wake({[channel] = {string.match(waiter, '^%d+')}})", "local _ = channel"),
            Mutant.ofScripts(
                    "together-ignores-the-holder",
                    "and holder ~= word .. MARK then\n    return {-1}",
                    "and false then\n    return {-1}"),
            Mutant.ofScripts("together-takes-the-first-only", TOGETHER, TOGETHER.replace("#KEYS", "1")),
            Mutant.ofScripts(
                    "together-sets-no-lease",
                    "redis.pcall('SET', KEYS[i], word, 'PX', lease)",
                    "redis.pcall('SET', KEYS[i], word)"),
            Mutant.ofScripts(
                    "together-draws-no-token",
                    "local first, failure = 0, nil\n  if ARGV[i + 3] ~= '0' then",
                    "local first, failure = 0, nil\n  if false then"));

    private SharingMutants() {}
}
