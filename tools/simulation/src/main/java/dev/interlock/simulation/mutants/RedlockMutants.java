// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants;

import static dev.interlock.simulation.mutants.Mutant.ofScripts;

import java.util.List;

/** Deliberate faults in the scripts of {@code redlock}. */
public final class RedlockMutants {
    public static final List<Mutant> ALL = List.of(
            ofScripts("take-ignores-the-holder", "if holder then\n  if holder == ARGV[1] or", "if false then\n  if"),
            ofScripts(
                    "take-writes-over-the-holder",
                    "redis.call('EXISTS', KEYS[1], KEYS[3])",
                    "redis.call('EXISTS', KEYS[3])"),
            ofScripts("take-writes-nothing", "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])", ""),
            ofScripts(
                    "take-sets-no-lease",
                    "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
                    "redis.call('SET', KEYS[1], ARGV[1])"),
            ofScripts("take-draws-no-token", "first = math.max(last + 1, first)", "first = math.max(last, 1)"),
            ofScripts(
                    "take-replaces-any-holder-after-a-grant", "(ARGV[7] ~= '' and holder == ARGV[7])", "ARGV[7] ~= ''"),
            ofScripts(
                    "vote-looks-at-no-birth-record",
                    "if redis.call('HGET', KEYS[2], 'id') ~= ARGV[3] then\n  if",
                    "if false then\n  if"),
            ofScripts("release-frees-what-others-hold", "if holder ~= token then", "if false then"),
            ofScripts("release-frees-nothing", "redis.call('DEL', KEYS[4 * n - 3], KEYS[4 * n])\n", ""),
            ofScripts(
                    "release-frees-nothing-after-its-waiters",
                    "redis.call('DEL', lock, record)\n  return 1, 0",
                    "return 1, 0"),
            ofScripts(
                    "release-frees-whatever-it-finds",
                    "redis.pcall('GET', KEYS[4 * n - 3]) == ARGV[n + 1] and",
                    "redis.pcall('GET', KEYS[4 * n - 3]) and"),
            ofScripts("release-sees-nobody-who-waits", "and redis.call('EXISTS', KEYS[4 * n - 1]) == 0 do", "do"),
            ofScripts(
                    "release-grants-nobody",
                    "if grant_head(lock, fence, list, record, ARGV[1], token) then",
                    "if false then"),
            ofScripts("renew-extends-nothing", "redis.call('PEXPIRE', key, ARGV[2 * i + 1], 'GT')", ""),
            ofScripts("renew-takes-any-holder-for-its-own", "elseif holder == ARGV[2 * i] then", "elseif true then"),
            ofScripts("renew-loses-what-is-held", "    answers[i] = 1\n", "    answers[i] = 0\n"),
            ofScripts("restore-ignores-the-holder", "ARGV[2 * i - 2], 'NX', 'PX'", "ARGV[2 * i - 2], 'PX'"),
            ofScripts(
                    "confirm-ignores-the-holder",
                    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then\n  return 0",
                    "if false then\n  return 0"),
            ofScripts(
                    "confirm-ignores-the-counter",
                    "if tonumber(redis.call('GET', KEYS[2]) or '0') > tonumber(ARGV[2]) then",
                    "if false then"),
            ofScripts(
                    "grant-sets-no-lease",
                    "redis.pcall('SET', lock, token, 'PX', lease)",
                    "redis.pcall('SET', lock, token)"),
            ofScripts("grant-writes-nothing", "kept = redis.pcall('SET', lock, token, 'PX', lease)", ""),
            ofScripts(
                    "grant-keeps-the-place",
                    "redis.call('ZREM', list, waiter)\n  if waiter ~= asker then",
                    "if waiter ~= asker then"),
            ofScripts("grant-tells-nobody", "send(token, channel, 'granted ' .. lock)", ""),
            ofScripts(
                    "grant-names-no-predecessor",
                    "first, last, predecessor), 'PX', lease)",
                    "first, last, '-'), 'PX', lease)"),
            ofScripts("pass-looks-at-no-deadline", "return now < deadline and now >= tonumber(least)", "return true"),
            ofScripts("pass-repeats-the-token", "tonumber(ARGV[4]), kept.last)", "tonumber(ARGV[4]) - 1, kept.last)"),
            ofScripts(
                    "hop-writes-nothing",
                    "redis.call('SET', record, text_of(root, hop, token, deadline, first, last, '-'), 'KEEPTTL')",
                    ""),
            ofScripts(
                    "hop-keeps-the-place",
                    "  redis.call('ZREM', list, waiter)\n  redis.call('SET', record",
                    "  redis.call('SET', record"),
            ofScripts("leave-keeps-the-place", "redis.call('ZREM', list, ARGV[2])", ""),
            ofScripts(
                    "leave-keeps-what-it-was-granted",
                    "if holder == ARGV[1] then\n  if not grant_head",
                    "if false then\n  if not grant_head"),
            ofScripts("ask-enters-nobody", "enter(list, place, ARGV[7], ARGV[9], ARGV[8])", "0"),
            ofScripts("stand-back-enters-nobody", "enter(list, ARGV[2], ARGV[3], since, ARGV[5])", ""),
            ofScripts(
                    "stand-back-hears-of-no-release",
                    "if kept and kept.deadline ~= 0 then\n  grant_head",
                    "if false then\n  grant_head"),
            ofScripts(
                    "release-tells-only-whom-the-lead-refused",
                    "grant_head(lock, fence, list, record, ARGV[1], '-') and 1 or 0",
                    "0"),
            ofScripts("enrol-is-born-old", "'age', 0, 'told', ''", "'age', 100000, 'told', ''"),
            ofScripts(
                    "enrol-keeps-the-record-of-another-process",
                    "if not placed or record.run ~= run or succeeded then",
                    "if not placed or succeeded then"),
            ofScripts("enrol-changes-no-state", "redis.call('HGET', key, 'birth') .. '.' .. version)", "'always')"),
            ofScripts(
                    "enrol-takes-any-list",
                    "revision(config) > revision(record.config)",
                    "revision(config) ~= revision(record.config)"),
            ofScripts(
                    "enrol-tells-nobody-of-another-list",
                    "knows == 'founded' and 1 or 0)\n    changed = true",
                    "knows == 'founded' and 1 or 0)"),
            ofScripts(
                    "vote-lets-in-whoever-trusts",
                    "elseif redis.call('EXISTS', KEYS[2]) == 1 then",
                    "elseif false then"));

    private RedlockMutants() {}
}
