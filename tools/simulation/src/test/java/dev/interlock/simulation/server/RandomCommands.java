// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Draws commands and calls of scripts, over few keys, so that they meet: most with arguments that make sense there,
 * some with any.
 */
final class RandomCommands {
    /**
     * What a script takes: what its keys are, and then its arguments, one letter each; a part in brackets may be
     * repeated.
     */
    private static final Map<String, String> SCRIPTS = new TreeMap<>(Map.of(
            "lockscripts.take", "lfq wLnF",
            "lockscripts.together", "[lfq] F[wLn]",
            "lockscripts.free", "l wx",
            "lockscripts.free_unwaited", "lq w",
            "lockscripts.renew", "[l] [wL]",
            "lockscripts.look", "lfq n",
            "readwritescripts.renew", "[W] [stL]",
            "readwritescripts.look", "WR",
            "readwritescripts.plain.read", "WRfqd tLbFtpcLm",
            "readwritescripts.plain.write", "WRfqd tLbFtpcLm"));

    static {
        SCRIPTS.put("readwritescripts.plain.release", "WRfqd stp");
        SCRIPTS.put("guardedwrites.script", "l wg");
        SCRIPTS.put("redlockinspection.look", "kfqhB n");
        for (String format : List.of("marked", "plain")) {
            String prefix = "lockscripts." + format + ".";
            SCRIPTS.put(prefix + "acquire", "lfq tLnFbnLcLm");
            SCRIPTS.put(prefix + "release", "[lfqr] F[wcab]");
            SCRIPTS.put(prefix + "await", "lfqrd FwcabpcLb");
            SCRIPTS.put(prefix + "lookwaiter", "lfqdr wpLFc");
            SCRIPTS.put(prefix + "leave", "lfqdr wpLb");
            SCRIPTS.put(prefix + "adopt", "lfqrr Fwcajpo");
            SCRIPTS.put(prefix + "signal", "lqdr wnL");
        }
        SCRIPTS.putAll(Map.of(
                "scripts.confirm", "kf TyF",
                "scripts.renew", "B[kh] i[TL]",
                "scripts.restore", "B[k] i[TL]",
                "leadscripts.take", "kBqhf TLinyFv",
                "leadscripts.release", "[kfqh] F[T]",
                "leadscripts.ask", "kBqhf TLinFucLmL",
                "leadscripts.pass", "kqh THDye",
                "leadscripts.leave", "kqhf TPFze",
                "leadscripts.stand_back", "kqhf TPcmLF",
                "births.enrol", "B UCGIKLNENAO[IEU]"));
    }

    /** Arguments that fit nowhere. */
    private static final List<String> WILD = List.of(
            "",
            "0",
            "-1",
            "1234567",
            "070000",
            "+70000",
            " 70000",
            "70000.5",
            "1e5",
            "nan",
            "inf",
            "9223372036854775807",
            "abc",
            "il1:",
            ":contended",
            "99999999999999999999",
            "GT",
            "%s %d",
            "[",
            "-inf");

    static final List<String> CHANNELS = List.of("heard", "unheard");

    private final Random random;
    private final Map<String, String> sources;

    /** Whether a transaction has begun. */
    private boolean begun;

    RandomCommands(long seed, Map<String, String> sources) {
        this.random = new Random(seed);
        this.sources = sources;
        if (!sources.keySet().containsAll(SCRIPTS.keySet())) {
            throw new IllegalStateException("a script has another name: " + sources.keySet());
        }
        Set<String> unknown = unknown(sources);
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("no call is drawn of " + unknown);
        }
    }

    /**
     * Returns the scripts of which no call is drawn, though they have a source of their own. Those for clusters differ
     * by the commands for channels alone, and the model is no cluster.
     */
    static Set<String> unknown(Map<String, String> sources) {
        Set<String> drawn = SCRIPTS.keySet().stream().map(sources::get).collect(Collectors.toSet());
        Set<String> unknown = new TreeSet<>();
        sources.forEach((name, source) -> {
            if (!name.contains("sharded") && !drawn.contains(source)) {
                unknown.add(name);
            }
        });
        return unknown;
    }

    static Set<String> scripts() {
        return Set.copyOf(SCRIPTS.keySet());
    }

    /** A command to send, what it is called in a report, and whether it goes over the connection for transactions. */
    record Drawn(String label, List<String> words, boolean ofTransactions) {
        Drawn(String label, List<String> words) {
            this(label, words, false);
        }
    }

    private <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    Drawn next() {
        if (random.nextInt(6) == 0) {
            List<String> words = transaction();
            return new Drawn("transaction: " + words.get(0), words, true);
        }
        return random.nextInt(10) < 6 ? script() : command();
    }

    private Drawn script() {
        String name = oneOf(List.copyOf(SCRIPTS.keySet()));
        String[] spec = (SCRIPTS.get(name) + " ").split(" ", -1);
        int times = 1 + random.nextInt(2);
        List<String> keys = words(spec[0], times);
        List<String> args = words(spec[1], times);
        if (random.nextInt(40) == 0 && !args.isEmpty()) {
            args.remove(args.size() - 1);
        }
        List<String> words = new ArrayList<>(List.of("EVAL", sources.get(name), Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(args);
        return new Drawn(name, words);
    }

    private List<String> words(String spec, int times) {
        int open = spec.indexOf('[');
        String all = open < 0
                ? spec
                : spec.substring(0, open)
                        + spec.substring(open + 1, spec.indexOf(']')).repeat(times);
        List<String> words = new ArrayList<>();
        for (char kind : all.toCharArray()) {
            words.add(random.nextInt(30) == 0 ? oneOf(WILD) : word(kind));
        }
        return words;
    }

    private String word(char kind) {
        String name = oneOf(List.of("x", "y"));
        return switch (kind) {
            case 'l' -> "lock-" + name;
            case 'f' -> "fence-" + name;
            case 'q' -> "queue-" + name;
            case 'd' -> "condition-" + name;
            case 'r' -> oneOf(List.of("records-", "queue-")) + name;
            case 'W' -> oneOf(List.of("writer-", "readers-", "writer-")) + name;
            case 'R' -> "readers-" + name;
            case 't' -> token();
            case 'w' -> "il1:" + token() + oneOf(List.of("", "", "", ":contended"));
            case 'L' -> oneOf(List.of("60000", "90000", "120000", "61000", "2"));
            case 'F' -> "86400000";
            case 'n' -> oneOf(List.of("0", "1", "1", "2", "5"));
            case 'b' -> oneOf(List.of("0", "1"));
            case 'c' -> oneOf(List.of("heard", "unheard", "heard", ""));
            case 'a' -> oneOf(List.of("1 ", "2 ", ""));
            case 'j' -> behindToken();
            case 'p' -> waiter();
            case 'o' -> oneOf(List.of("", waiter()));
            case 'm' -> oneOf(List.of("0", "0", "1700000000000000"));
            case 's' -> oneOf(List.of("r", "w"));
            case 'x' -> "look";
            case 'g' -> oneOf(List.of("", "il1:" + token()));
            case 'k' -> "root-" + name;
            case 'h' -> "lead-" + name;
            case 'B' -> "birth-" + name;
            case 'T' -> root();
            case 'v' -> oneOf(List.of("", root()));
            case 'i' -> oneOf(List.of("", "", "b.1", "b.2", "b.3"));
            case 'y' -> oneOf(List.of("0", "1", "1700000000000000", "2200000000000000"));
            case 'u' -> oneOf(List.of("1", "2"));
            case 'P' -> "1 " + root() + " 60000 " + oneOf(List.of("0", "1")) + " heard";
            case 'H' -> oneOf(List.of("0", "0", "1", "2"));
            case 'D' -> oneOf(List.of("2200000000000000", "2300000000000000", "2300000000000000"));
            case 'e' -> oneOf(List.of("0", "0", "2200000000000000", "2300000000000000"));
            case 'z' -> oneOf(List.of("63", "1"));
            case 'U' -> oneOf(List.of("run-1", "run-2"));
            case 'C' -> oneOf(List.of("c", "c", "c", "d"));
            case 'G' -> oneOf(List.of("0 2 0=a:1 1=b:1 2=c:1", "0 2 0=a:1 1=x:1 2=c:1", "1 3 0=a:1 1=b:1 3=d:1"));
            case 'I' -> oneOf(List.of("0", "0", "0", "1", "2"));
            case 'K' -> oneOf(List.of("look", "pledge", "founded", "founded"));
            case 'N' -> oneOf(List.of("b", "b", "b", "o"));
            case 'E' -> oneOf(List.of("1", "2", "3"));
            case 'A' -> oneOf(List.of("0", "1000", "70000", "200000"));
            case 'O' -> oneOf(List.of("", "1", "2", "12"));
            default -> throw new IllegalArgumentException("there is no kind " + kind);
        };
    }

    private String token() {
        return oneOf(List.of("p-1", "p-11", "q-1"));
    }

    private String root() {
        return oneOf(List.of("p-1.1", "p-1.2", "q-1.1"));
    }

    private String waiter() {
        return oneOf(List.of("1", "2", "3@c")) + " " + token() + behindToken();
    }

    private String behindToken() {
        return " 60000 " + oneOf(List.of("0", "1", "2")) + " " + oneOf(List.of("heard", "heard", "unheard"));
    }

    private String anyKey() {
        return oneOf(List.of(
                        "lock-",
                        "fence-",
                        "queue-",
                        "condition-",
                        "records-",
                        "writer-",
                        "readers-",
                        "hash-",
                        "root-",
                        "lead-",
                        "birth-"))
                + oneOf(List.of("x", "y"));
    }

    private String keyOf(String kind) {
        return random.nextInt(12) == 0 ? anyKey() : kind + oneOf(List.of("x", "y"));
    }

    private String value() {
        return random.nextInt(4) == 0
                ? oneOf(WILD)
                : oneOf(List.of("il1:p-1", "il1:p-1:contended", "il1:q-1", "foreign", "12", "1700000000000000"));
    }

    private String number() {
        return random.nextInt(4) == 0 ? oneOf(WILD) : oneOf(List.of("0", "1", "-1", "2", "5", "100000"));
    }

    private String life() {
        return random.nextInt(4) == 0 ? oneOf(WILD) : oneOf(List.of("0", "-1", "1", "70000", "100000"));
    }

    /** Draws what comes next over the connection for transactions. */
    private List<String> transaction() {
        String key = anyKey();
        if (!begun) {
            return switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> List.of("WATCH", key);
                case 4 -> List.of("WATCH", key, anyKey());
                case 5, 6 -> List.of("GET", key);
                case 7, 8, 9 -> {
                    begun = true;
                    yield List.of("MULTI");
                }
                case 10 -> List.of("GETSET", key, value());
                default -> List.of(oneOf(List.of("EXEC", "DISCARD", "UNWATCH", "WATCH")));
            };
        }
        return switch (random.nextInt(21)) {
            case 0, 1, 2 -> List.of("GETSET", key, value());
            case 3, 4, 5 -> List.of("DEL", key);
            case 6, 7 -> List.of("SETNX", key, value());
            case 8 -> List.of("GET", key);
            case 9 -> List.of("APPEND", key, value());
            case 10 -> List.of("ZADD", key, number(), waiter());
            case 11 -> List.of(oneOf(List.of("UNWATCH", "MULTI", "GET", "NOSUCH")));
            case 12 -> List.of("WATCH", key);
            case 13 -> List.of("DELIFEQ", key, value());
            default -> {
                begun = false;
                yield List.of(random.nextInt(10) == 0 ? "DISCARD" : "EXEC");
            }
        };
    }

    /** The connection for transactions is a new one. */
    void reset() {
        begun = false;
    }

    private Drawn command() {
        String text = keyOf(oneOf(List.of("lock-", "fence-", "writer-")));
        String set = keyOf(oneOf(List.of("queue-", "condition-", "records-", "readers-")));
        String hash = keyOf("hash-");
        List<String> words = switch (random.nextInt(31)) {
            case 0 -> List.of("GET", text);
            case 1 -> List.of("SET", text, value(), "NX", "PX", life());
            case 2 -> List.of("SET", text, value(), "PX", "100000");
            case 3 -> random.nextBoolean() ? List.of("SET", text, value()) : List.of("SET", text, value(), "KEEPTTL");
            case 4 -> List.of("SETNX", text, value());
            case 5 -> List.of("GETSET", text, value());
            case 6 -> List.of("APPEND", text, oneOf(List.of(":contended", "", "1")));
            case 7 -> List.of("INCRBY", text, number());
            case 8, 9 -> List.of("DEL", anyKey(), anyKey());
            case 10 -> List.of("EXISTS", text, set, text);
            case 11 -> List.of("TYPE", anyKey());
            // No LT: whether a life that is over at once is shorter than one that ends now depends on the real clock.
            case 12 -> List.of("PEXPIRE", anyKey(), life(), oneOf(List.of("NX", "XX", "no")));
            case 13 -> List.of("PEXPIRE", anyKey(), "70000", oneOf(List.of("NX", "XX", "GT", "LT")));
            case 14 -> List.of("PTTL", anyKey());
            case 15 -> List.of("ZADD", set, oneOf(List.of("NX", "XX", "GT", "CH")), number(), waiter());
            case 16 -> List.of("ZADD", set, "GT", "CH", number(), waiter(), number(), waiter());
            case 17 -> List.of("ZREM", set, waiter(), waiter());
            case 18 -> List.of("ZSCORE", set, waiter());
            case 19 -> List.of("ZRANGE", set, number(), number());
            case 20 -> List.of("ZRANGE", set, "0", "-1", oneOf(List.of("WITHSCORES", "WITHSCORE")));
            case 21 ->
                List.of("ZCOUNT", set, oneOf(List.of("(1", "-inf", "0", "x")), oneOf(List.of("+inf", "(5", "5")));
            case 22 -> List.of("ZREMRANGEBYSCORE", set, oneOf(List.of("-inf", "(0")), number());
            case 23 -> List.of("HSET", hash, oneOf(List.of("a", "b")), value());
            case 24 -> List.of("HGET", hash, oneOf(List.of("a", "b")));
            case 25 -> List.of("HGETALL", hash);
            case 26 -> List.of("HINCRBY", hash, oneOf(List.of("a", "b")), number());
            case 27 -> List.of("PUBSUB", "NUMSUB", oneOf(CHANNELS), oneOf(CHANNELS));
            case 28 -> List.of("PUBLISH", oneOf(CHANNELS), "text");
            case 29 -> List.of("DELIFEQ", text, value());
            default -> List.of(oneOf(List.of("GET", "ZADD", "PEXPIRE", "HSET", "NOSUCH")), anyKey());
        };
        if (random.nextInt(8) > 0) {
            return new Drawn(words.get(0), words);
        }
        List<String> call = new ArrayList<>(List.of("EVAL", "return redis.pcall(unpack(ARGV))", "0"));
        call.addAll(words);
        return new Drawn("script: " + words.get(0), call);
    }
}
