// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants;

import java.util.List;

/** Deliberate errors in the scripts of set-nx-px. */
public final class SetNxPxMutants {
    private static final String HOLDS = "holder == word or holder == word .. MARK";

    /** All of them. */
    public static final List<Mutant> ALL = List.of(
            Mutant.ofScripts("acquire-ignores-the-holder", "if holder and not mine then", "if false then"),
            Mutant.ofScripts(
                    "acquire-sets-no-lease",
                    "redis.call('SET', KEYS[1], word .. marked, 'PX', ARGV[2])",
                    "redis.call('SET', KEYS[1], word .. marked)"),
            Mutant.ofScripts("acquire-keeps-its-place", "redis.call('ZREM', KEYS[3], place)", "local _ = place"),
            Mutant.ofScripts("acquire-enters-for-ever", "redis.call('PEXPIRE', KEYS[3], ARGV[9])", "local _ = place"),
            Mutant.ofScripts("acquire-overtakes-the-queue", "if not holder and queues then", "if false then"),
            Mutant.ofScripts("acquire-marks-no-word", "redis.call('APPEND', KEYS[1], MARK)", "local _ = place"),
            Mutant.ofScripts(
                    "take-ignores-the-holder",
                    "redis.call('EXISTS', KEYS[1], KEYS[3]) ~= 0",
                    "redis.call('EXISTS', KEYS[3]) ~= 0"),
            Mutant.ofScripts(
                    "take-sets-no-lease",
                    "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
                    "redis.call('SET', KEYS[1], ARGV[1])"),
            Mutant.ofScripts(
                    "release-frees-what-others-hold",
                    "if holder ~= word and holder ~= word .. MARK then\n    if behind",
                    "if not holder then\n    if behind"),
            Mutant.ofScripts(
                    "release-keeps-what-is-marked",
                    "if holder ~= word and holder ~= word .. MARK then\n    if behind",
                    "if holder ~= word then\n    if behind"),
            Mutant.ofScripts(
                    "release-frees-nothing",
                    "local function free(lock, fence)\n  redis.call('DEL', lock)",
                    "local function free(lock, fence)"),
            Mutant.ofScripts(
                    "release-hands-nothing-over", "elseif not hand_over(lock, fence, list, ARGV[1]) then", "else"),
            Mutant.ofScripts("free-compares-nothing", "if redis.call('GET', KEYS[1]) == ARGV[1] then", "if true then"),
            Mutant.ofScripts("renew-takes-any-holder-for-its-own", "elseif " + HOLDS + " then", "elseif holder then"),
            Mutant.ofScripts("renew-extends-nothing", "redis.call('PEXPIRE', key, ARGV[2 * i], 'GT')", "0"),
            Mutant.ofScripts("renew-knows-no-mark", "elseif " + HOLDS + " then", "elseif holder == word then"),
            Mutant.ofScripts(
                    "hand-over-grants-without-a-lease",
                    "redis.pcall('SET', lock, word, 'PX', lease).err",
                    "redis.pcall('SET', lock, word).err"),
            Mutant.ofScripts(
                    "hand-over-draws-no-token",
                    "if fences ~= '0' then\n    first = draw(fence, fences, life, now)",
                    "if false then\n    first = draw(fence, fences, life, now)"),
            Mutant.ofScripts("hand-over-writes-nothing", "redis.pcall('SET', lock, word, 'PX', lease).err", "false"),
            Mutant.ofScripts(
                    "hand-over-keeps-the-place", "redis.call('ZREM', list, waiter)\n  return word", "return word"),
            Mutant.ofScripts("hand-over-leaves-the-word-unmarked", "word = word .. MARK", "word = word"),
            Mutant.ofScripts(
                    "hand-over-tells-nobody", "if not tell(token, channel, lock, first, now) then", "if false then"),
            Mutant.ofScripts("hand-over-grants-to-who-is-gone", "if heard ~= 0 then", "if true then"),
            Mutant.ofScripts(
                    "draw-repeats-the-last-token",
                    "local first = math.max(last + 1, now)",
                    "local first = math.max(last, 1)"),
            Mutant.ofScripts(
                    "draw-forgets-what-it-drew",
                    "string.format('%.0f', first + count - 1)",
                    "string.format('%.0f', first)"),
            Mutant.ofScripts(
                    "draw-trusts-the-counter", "local first = math.max(last + 1, now)", "local first = last + 1"),
            Mutant.ofScripts(
                    "draw-keeps-the-counter-for-ever",
                    "string.format('%.0f', first + count - 1), 'PX', life)",
                    "string.format('%.0f', first + count - 1))"),
            Mutant.ofScripts("counter-has-no-end", "redis.pcall('PEXPIRE', fence, ARGV[1], 'NX')", "local _ = fence"),
            Mutant.ofScripts(
                    "acquire-draws-no-token",
                    "local first = 0\nif ARGV[3] ~= '0' then",
                    "local first = 0\nif false then"),
            Mutant.ofScripts("acquire-extends-nothing", "redis.call('PEXPIRE', KEYS[1], ARGV[2])", "local _ = place"),
            Mutant.ofScripts("acquire-takes-its-mark-off", "== 1 and MARK or ''", "== 1 and '' or ''"),
            Mutant.ofScripts(
                    "acquire-takes-the-holder-for-itself", "local mine = holder == word", "local mine = holder"),
            Mutant.ofScripts(
                    "acquire-enters-nobody", "redis.call('ZADD', KEYS[3], 'NX', since, place)", "local _ = place"),
            Mutant.ofScripts("acquire-enters-in-front", "since = ARGV[10] ~= '0' and ARGV[10] or now", "since = -now"),
            Mutant.ofScripts("acquire-promises-an-early-end", "redis.call('PTTL', KEYS[1]), now", "1, now"),
            Mutant.ofScripts("acquire-promises-a-late-end", "redis.call('PTTL', KEYS[1]), now", "86400000, now"),
            Mutant.ofScripts(
                    "take-ignores-those-who-wait",
                    "redis.call('EXISTS', KEYS[1], KEYS[3]) ~= 0",
                    "redis.call('EXISTS', KEYS[1]) ~= 0"),
            Mutant.ofScripts(
                    "take-halves-the-lease",
                    "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
                    "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2] / 2)"),
            Mutant.ofScripts("take-hides-its-success", "'PX', ARGV[2])\nreturn first", "'PX', ARGV[2])\nreturn 0"),
            Mutant.ofScripts(
                    "take-draws-in-advance",
                    "draw(KEYS[2], ARGV[3], ARGV[4], micros())\nif not first then\n  return failure\nend\nredis.call('SET'",
                    "draw(KEYS[2], ARGV[3], ARGV[4], micros())\nfirst = first + 1e9\nredis.call('SET'"),
            Mutant.ofScripts(
                    "renew-halves-the-lease",
                    "redis.call('PEXPIRE', key, ARGV[2 * i], 'GT')",
                    "redis.call('PEXPIRE', key, math.floor(ARGV[2 * i] / 2))"),
            Mutant.ofScripts(
                    "renew-brings-the-end-nearer",
                    "redis.call('PEXPIRE', key, ARGV[2 * i], 'GT')",
                    "redis.call('PEXPIRE', key, ARGV[2 * i])"),
            Mutant.ofScripts(
                    "renew-takes-what-is-gone-for-held",
                    "if not holder then\n    answers[i] = 0",
                    "if not holder then\n    answers[i] = 1"),
            Mutant.ofScripts(
                    "renew-loses-what-is-held",
                    "answers[i] = 1\n  elseif type(holder)",
                    "answers[i] = 0\n  elseif type(holder)"),
            Mutant.ofScripts("renew-frees", "redis.call('PEXPIRE', key, ARGV[2 * i], 'GT')", "redis.call('DEL', key)"),
            Mutant.ofScripts("free-frees-nothing", "freed = redis.call('DEL', KEYS[1])", "freed = 1"),
            Mutant.ofScripts(
                    "release-tells-nobody",
                    "local heard = channel ~= '' and redis.pcall(PUBLISH, channel, '')",
                    "local heard = false"),
            Mutant.ofScripts(
                    "release-keeps-the-place",
                    "redis.call('ZREM', list, before .. string.sub(word, #MAGIC + 1) .. behind)",
                    "local _ = list"),
            Mutant.ofScripts(
                    "release-says-it-was-lost",
                    "free(lock, fence)\n  end\n  return 1, counted",
                    "free(lock, fence)\n  end\n  return -1, counted"),
            Mutant.ofScripts(
                    "hand-over-grants-to-the-second",
                    "local token, lease, fences, channel = parts(waiter)\n  -- The time",
                    "waiter = another or waiter\n  local token, lease, fences, channel = parts(waiter)\n  -- The time"),
            Mutant.ofScripts(
                    "hand-over-grants-for-an-hour",
                    "redis.pcall('SET', lock, word, 'PX', lease).err",
                    "redis.pcall('SET', lock, word, 'PX', 3600000).err"),
            Mutant.ofScripts(
                    "hand-over-halves-the-lease",
                    "redis.pcall('SET', lock, word, 'PX', lease).err",
                    "redis.pcall('SET', lock, word, 'PX', lease / 2).err"),
            Mutant.ofScripts(
                    "hand-over-promises-another-token",
                    "'%.0f %.0f %s', first, since, lock",
                    "'%.0f %.0f %s', first - 1, since, lock"),
            Mutant.ofScripts("hand-over-proves-nothing", "proof .. ' ' .. text", "token .. ' ' .. text"),
            Mutant.ofScripts(
                    "hand-over-drops-those-who-are-there",
                    "if heard ~= 0 then\n      return",
                    "if heard == 0 then\n      return"),
            Mutant.ofScripts(
                    "draw-counts-down",
                    "local first = math.max(last + 1, now)",
                    "local first = math.max(1, 2^52 - now - last)"),
            Mutant.ofScripts("draw-forgets-the-counter", "tonumber(redis.pcall('GET', fence) or 0)", "0"),
            Mutant.ofScripts(
                    "clock-stands-still",
                    "return time[1] * 1000000 + time[2]",
                    "return time[1] * 0 + 1750000000000000"),
            Mutant.ofScripts(
                    "signal-wakes-nobody", "while moved < tonumber(ARGV[2]) and moved < 100 and", "while false and"),
            Mutant.ofScripts(
                    "signal-wakes-all", "while moved < tonumber(ARGV[2]) and moved < 100 and", "while moved < 100 and"),
            Mutant.ofScripts(
                    "signal-all-wakes-one",
                    "while moved < tonumber(ARGV[2]) and moved < 100 and",
                    "while moved < 1 and"),
            Mutant.ofScripts(
                    "signal-marks-no-word", "if moved > 0 then\n  mark(KEYS[1])", "if false then\n  mark(KEYS[1])"),
            Mutant.ofScripts(
                    "signal-ignores-the-holder",
                    "  return holder and -1 or 0\nend\nlocal moved = 0",
                    "end\nlocal moved = 0"),
            Mutant.ofScripts("signalled-keeps-its-place", "redis.call('ZREM', waiting, waiter)", "local _ = waiting"),
            Mutant.ofScripts(
                    "signalled-leaves-no-record", "redis.call('ZADD', records, place, waiter)", "local _ = records"),
            Mutant.ofScripts(
                    "signalled-stands-in-no-queue", "redis.call('ZADD', list, place, waiter)", "local _ = list"),
            Mutant.ofScripts("signalled-stands-in-front", "micros() + n * 0.25", "n * 0.25"),
            Mutant.ofScripts(
                    "signalled-leaves-a-record-for-ever", "redis.call('PEXPIRE', records, life)", "local _ = life"),
            Mutant.ofScripts(
                    "pass-on-wakes-nobody", "if move_next(waiting, list, records, life, 0) then", "if false then"),
            Mutant.ofScripts(
                    "pass-on-marks-no-word",
                    "records, life, 0) then\n    mark(lock)",
                    "records, life, 0) then\n    local _ = lock"),
            Mutant.ofScripts(
                    "pass-on-keeps-the-record",
                    "    return\n  end\n  redis.call('ZREM', records, waiter)",
                    "    return\n  end"),
            Mutant.ofScripts(
                    "pending-is-nobody-who-waits",
                    "if redis.call('ZSCORE', list, waiter) then\n    return true",
                    "if false then\n    return true"),
            Mutant.ofScripts(
                    "pending-is-nobody-who-holds", "return holder == word or holder == word .. MARK", "return false"),
            Mutant.ofScripts("await-keeps-the-lock", "if ARGV[9] == '1' then\n  state", "if false then\n  state"),
            Mutant.ofScripts(
                    "await-enters-nobody",
                    "redis.call('ZADD', KEYS[5], string.format('%.0f', now), ARGV[6])",
                    "local _ = now"),
            Mutant.ofScripts("await-enters-for-ever", "redis.call('PEXPIRE', KEYS[5], ARGV[8])", "local _ = now"),
            Mutant.ofScripts("await-ignores-the-holder", "  return {holder and -1 or 0, 0, 0, 0}\nend", "end"),
            Mutant.ofScripts(
                    "look-passes-nothing-on",
                    "if waiter ~= ARGV[2] and not is_pending(waiter, KEYS[1], KEYS[3]) then",
                    "if false then"),
            Mutant.ofScripts(
                    "look-hands-nothing-over",
                    "if redis.call('EXISTS', KEYS[1]) == 0 then\n  hand_over",
                    "if false then\n  hand_over"),
            Mutant.ofScripts(
                    "look-knows-nobody-who-waits",
                    "if redis.call('ZSCORE', KEYS[4], ARGV[2]) then\n  state = 1",
                    "if false then\n  state = 1"),
            Mutant.ofScripts(
                    "look-takes-all-for-waiting", "  state = 2\nend\nlocal holder", "  state = 1\nend\nlocal holder"),
            Mutant.ofScripts(
                    "leave-keeps-the-place",
                    "if redis.call('ZREM', KEYS[4], ARGV[2]) == 1 then",
                    "if redis.call('ZSCORE', KEYS[4], ARGV[2]) then"),
            Mutant.ofScripts(
                    "leave-takes-the-signal-along",
                    "local state = is_pending(ARGV[2], KEYS[1], KEYS[3]) and 2 or 0",
                    "local state = 0"),
            Mutant.ofScripts(
                    "leave-passes-nothing-on", "if ARGV[4] == '1' then\n  pass_on", "if false then\n  pass_on"),
            Mutant.ofScripts("leave-always-passes-on", "if ARGV[4] == '1' then\n  pass_on", "if true then\n  pass_on"),
            Mutant.ofScripts(
                    "adopt-keeps-the-record",
                    "redis.call('ZADD', KEYS[4], place, ARGV[6])\n  redis.call('ZREM', KEYS[4], waiter)",
                    "redis.call('ZADD', KEYS[4], place, ARGV[6])"),
            Mutant.ofScripts(
                    "adopt-confirms-at-once",
                    "redis.call('ZADD', KEYS[4], place, ARGV[6])\n  redis.call('ZREM', KEYS[4], waiter)",
                    "redis.call('ZREM', KEYS[4], waiter)"),
            Mutant.ofScripts(
                    "adopt-keeps-the-record-before", "redis.call('ZREM', KEYS[5], ARGV[7])", "local _ = ARGV[7]"),
            Mutant.ofScripts(
                    "release-keeps-the-record",
                    "if records ~= list and (holder == word or holder == word .. MARK) then",
                    "if false then"));

    private SetNxPxMutants() {}
}
