// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants;

import java.math.BigDecimal;
import java.util.List;
import java.util.function.UnaryOperator;

/** Deliberate errors in the commands of setnx-getset, and in its script for a server without memory. */
public final class SetnxGetsetMutants {
    /** All of them. */
    public static final List<Mutant> ALL = List.of(
            Mutant.ofCommand("setnx-ignores-the-holder", "SETNX", "redis.call('SET', KEYS[1], ARGV[1]) return 1"),
            Mutant.ofCommand("setnx-writes-nothing", "SETNX", "return 1 - redis.call('EXISTS', KEYS[1])"),
            Mutant.ofCommand("setnx-never-succeeds", "SETNX", "return 0"),
            Mutant.ofCommand("setnx-hides-its-success", "SETNX", "redis.call('SETNX', KEYS[1], ARGV[1]) return 0"),
            Mutant.ofCommand("setnx-ends-early", "SETNX", later(-2)),
            Mutant.ofCommand("setnx-ends-late", "SETNX", later(60)),
            Mutant.ofCommand("watch-watches-nothing", "WATCH", words -> List.of("UNWATCH")),
            Mutant.ofCommand("watch-of-several-watches-one", "WATCH", words -> words.subList(0, 2)),
            Mutant.ofCommand("watch-of-several-deletes-the-last", "WATCH", SetnxGetsetMutants::deleteLastOfSeveral),
            Mutant.ofCommand("getset-writes-nothing", "GETSET", "return redis.call('GET', KEYS[1])"),
            Mutant.ofCommand("getset-deletes", "GETSET", "return redis.call('DEL', KEYS[1])"),
            Mutant.ofCommand("getset-ends-early", "GETSET", later(-2)),
            Mutant.ofCommand("getset-ends-late", "GETSET", later(60)),
            Mutant.ofCommand("del-deletes-nothing", "DEL", "return redis.call('EXISTS', KEYS[1])"),
            Mutant.ofCommand("get-finds-nothing", "GET", "return false"),
            Mutant.ofCommand("get-finds-what-has-passed", "GET", "return redis.call('GET', KEYS[1]) and '1700000000'"),
            Mutant.ofCommand("exec-executes-nothing", "EXEC", words -> List.of("DISCARD")),
            Mutant.ofScripts("script-compares-nothing", "if held == ARGV[1] then", "if held then"),
            Mutant.ofScripts("script-writes-nothing", "redis.call('SET', KEYS[1], ARGV[2])", "local _ = held"),
            Mutant.ofScripts("script-deletes-instead", "if ARGV[2] == '' then", "if true then"),
            Mutant.ofScripts("script-deletes-nothing", "redis.call('DEL', KEYS[1])", "local _ = held"),
            Mutant.ofScripts("script-claims-success", "return held", "return ARGV[1]"));

    private SetnxGetsetMutants() {}

    private static List<String> deleteLastOfSeveral(List<String> words) {
        return words.size() == 2 ? words : List.of("DEL", words.get(words.size() - 1));
    }

    /** Writes a timestamp that is some seconds later than the one that was sent. */
    private static UnaryOperator<List<String>> later(int seconds) {
        return words -> List.of(
                words.get(0),
                words.get(1),
                new BigDecimal(words.get(2)).add(BigDecimal.valueOf(seconds)).toPlainString());
    }
}
