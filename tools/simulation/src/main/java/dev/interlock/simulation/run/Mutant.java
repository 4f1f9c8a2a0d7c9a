// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A deliberate fault in the scripts of set-nx-px: a text that stands in some of them, and what stands there instead.
 *
 * @param name what it is called
 * @param text what is replaced
 * @param other what by
 */
record Mutant(String name, String text, String other) implements UnaryOperator<String> {
    /** The scripts as they are. */
    static final Mutant NONE = new Mutant("none", "", "");

    private static final String HOLDS = "holder == word or holder == word .. MARK";

    /** All that were made. */
    static final List<Mutant> ALL = List.of(
            new Mutant("acquire-ignores-the-holder", "if holder and not mine then", "if false then"),
            new Mutant(
                    "acquire-sets-no-lease",
                    "redis.call('SET', KEYS[1], word .. marked, 'PX', ARGV[2])",
                    "redis.call('SET', KEYS[1], word .. marked)"),
            new Mutant("acquire-keeps-its-place", "redis.call('ZREM', KEYS[3], place)", "local _ = place"),
            new Mutant("acquire-enters-for-ever", "redis.call('PEXPIRE', KEYS[3], ARGV[9])", "local _ = place"),
            new Mutant("acquire-overtakes-the-queue", "if not holder and queues then", "if false then"),
            new Mutant("acquire-marks-no-word", "redis.call('APPEND', KEYS[1], MARK)", "local _ = place"),
            new Mutant(
                    "take-ignores-the-holder",
                    "redis.call('EXISTS', KEYS[1], KEYS[3]) ~= 0",
                    "redis.call('EXISTS', KEYS[3]) ~= 0"),
            new Mutant(
                    "take-sets-no-lease",
                    "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
                    "redis.call('SET', KEYS[1], ARGV[1])"),
            new Mutant(
                    "release-frees-what-others-hold",
                    "if holder ~= word and holder ~= word .. MARK then\n    if behind",
                    "if not holder then\n    if behind"),
            new Mutant(
                    "release-keeps-what-is-marked",
                    "if holder ~= word and holder ~= word .. MARK then\n    if behind",
                    "if holder ~= word then\n    if behind"),
            new Mutant(
                    "release-frees-nothing",
                    "local function free(lock, fence)\n  redis.call('DEL', lock)",
                    "local function free(lock, fence)"),
            new Mutant("release-hands-nothing-over", "elseif not hand_over(lock, fence, list, ARGV[1]) then", "else"),
            new Mutant("free-compares-nothing", "if redis.call('GET', KEYS[1]) == ARGV[1] then", "if true then"),
            new Mutant("renew-takes-any-holder-for-its-own", "elseif " + HOLDS + " then", "elseif holder then"),
            new Mutant("renew-extends-nothing", "redis.call('PEXPIRE', key, ARGV[2 * i], 'GT')", "local _ = key"),
            new Mutant("renew-knows-no-mark", "elseif " + HOLDS + " then", "elseif holder == word then"),
            new Mutant(
                    "hand-over-grants-without-a-lease",
                    "redis.pcall('SET', lock, word, 'PX', lease).err",
                    "redis.pcall('SET', lock, word).err"),
            new Mutant(
                    "hand-over-draws-no-token",
                    "if fences ~= '0' then\n    first = draw(fence, fences, life, now)",
                    "if false then\n    first = draw(fence, fences, life, now)"),
            new Mutant("hand-over-writes-nothing", "redis.pcall('SET', lock, word, 'PX', lease).err", "false"),
            new Mutant("hand-over-keeps-the-place", "redis.call('ZREM', list, waiter)\n  return word", "return word"),
            new Mutant("hand-over-leaves-the-word-unmarked", "word = word .. MARK", "word = word"),
            new Mutant("hand-over-tells-nobody", "if not tell(token, channel, lock, first, now) then", "if false then"),
            new Mutant("hand-over-grants-to-who-is-gone", "if heard ~= 0 then", "if true then"),
            new Mutant(
                    "draw-repeats-the-last-token",
                    "local first = math.max(last + 1, now)",
                    "local first = math.max(last, 1)"),
            new Mutant(
                    "draw-forgets-what-it-drew",
                    "string.format('%.0f', first + count - 1)",
                    "string.format('%.0f', first)"),
            new Mutant("draw-trusts-the-counter", "local first = math.max(last + 1, now)", "local first = last + 1"),
            new Mutant(
                    "draw-keeps-the-counter-for-ever",
                    "string.format('%.0f', first + count - 1), 'PX', life)",
                    "string.format('%.0f', first + count - 1))"),
            new Mutant("counter-has-no-end", "redis.pcall('PEXPIRE', fence, ARGV[1], 'NX')", "local _ = fence"));

    @Override
    public String apply(String source) {
        return text.isEmpty() ? source : source.replace(text, other);
    }
}
