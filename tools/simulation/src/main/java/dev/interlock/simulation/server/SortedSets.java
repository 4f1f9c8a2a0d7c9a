// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.server;

import dev.interlock.simulation.server.Keyspace.Members;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoublePredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The commands of sorted sets. */
final class SortedSets {
    private static final String NOT_A_SCORE = "ERR value is not a valid float";
    private static final String NOT_A_BOUND = "ERR min or max is not a float";

    private final Supplier<Keyspace> keyspace;
    private final Flavour flavour;

    SortedSets(Supplier<Keyspace> keyspace, Flavour flavour) {
        this.keyspace = keyspace;
        this.flavour = flavour;
    }

    private @Nullable Members find(String key) {
        return Commands.members(keyspace.get(), key);
    }

    Object add(List<String> args) {
        boolean onlyNew = false;
        boolean onlyPresent = false;
        boolean onlyGreater = false;
        boolean countsChanged = false;
        int at = 1;
        for (; at < args.size(); at++) {
            String option = args.get(at).toUpperCase(Locale.ROOT);
            if (option.equals("NX")) {
                onlyNew = true;
            } else if (option.equals("XX")) {
                onlyPresent = true;
            } else if (option.equals("GT")) {
                onlyGreater = true;
            } else if (option.equals("CH")) {
                countsChanged = true;
            } else {
                break;
            }
        }
        int count = args.size() - at;
        if (count == 0 || count % 2 != 0) {
            throw new CommandException(CommandException.SYNTAX);
        }
        if (onlyNew && (onlyPresent || onlyGreater)) {
            throw new CommandException("ERR XX and NX options at the same time are not compatible");
        }
        for (int i = at; i < args.size(); i += 2) {
            RedisNumbers.score(args.get(i), NOT_A_SCORE);
        }
        Members members = find(args.get(0));
        if (members == null) {
            if (onlyPresent) {
                return 0L;
            }
            members = new Members();
        }
        long added = 0;
        long changed = 0;
        for (int i = at; i < args.size(); i += 2) {
            double score = RedisNumbers.score(args.get(i), NOT_A_SCORE);
            Double before = members.get(args.get(i + 1));
            if (before == null ? !onlyPresent : !onlyNew && (!onlyGreater || score > before)) {
                members.put(args.get(i + 1), score);
                changed += before == null || score != before ? 1 : 0;
                added += before == null ? 1 : 0;
            }
        }
        if (changed > 0) {
            keyspace.get().replace(args.get(0), members);
        }
        return countsChanged ? changed : added;
    }

    Object remove(List<String> args) {
        Members members = find(args.get(0));
        long removed = 0;
        if (members != null) {
            for (String member : args.subList(1, args.size())) {
                removed += members.remove(member) == null ? 0 : 1;
            }
            settle(args.get(0), members, removed);
        }
        return removed;
    }

    private void settle(String key, Members members, long removed) {
        if (members.isEmpty()) {
            keyspace.get().remove(key);
        } else if (removed > 0) {
            keyspace.get().changed(key);
        }
    }

    @Nullable
    Object score(List<String> args) {
        Members members = find(args.get(0));
        Double score = members == null ? null : members.get(args.get(1));
        return score == null ? null : RedisNumbers.text(score, flavour);
    }

    Object range(List<String> args) {
        long from = RedisNumbers.integer(args.get(1));
        long to = RedisNumbers.integer(args.get(2));
        boolean scores = false;
        for (String option : args.subList(3, args.size())) {
            if (!option.equalsIgnoreCase("WITHSCORES")) {
                throw new CommandException(CommandException.SYNTAX);
            }
            scores = true;
        }
        Members members = find(args.get(0));
        List<Object> found = new ArrayList<>();
        if (members == null) {
            return found;
        }
        List<Map.Entry<String, Double>> sorted = new ArrayList<>(members.entrySet());
        sorted.sort(Map.Entry.<String, Double>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())));
        int size = sorted.size();
        long first = Math.max(0, from < 0 ? from + size : from);
        long last = Math.min(size - 1L, to < 0 ? to + size : to);
        for (long i = first; i <= last; i++) {
            found.add(sorted.get((int) i).getKey());
            if (scores) {
                found.add(RedisNumbers.text(sorted.get((int) i).getValue(), flavour));
            }
        }
        return found;
    }

    Object count(List<String> args) {
        DoublePredicate within = between(args.get(1), args.get(2));
        Members members = find(args.get(0));
        return members == null
                ? 0L
                : (Object) members.values().stream().filter(within::test).count();
    }

    Object removeByScore(List<String> args) {
        DoublePredicate within = between(args.get(1), args.get(2));
        Members members = find(args.get(0));
        if (members == null) {
            return 0L;
        }
        long before = members.size();
        members.values().removeIf(within::test);
        long removed = before - members.size();
        settle(args.get(0), members, removed);
        return removed;
    }

    private DoublePredicate between(String least, String most) {
        boolean above = least.startsWith("(");
        boolean below = most.startsWith("(");
        double from = RedisNumbers.bound(above ? least.substring(1) : least, NOT_A_BOUND, flavour);
        double to = RedisNumbers.bound(below ? most.substring(1) : most, NOT_A_BOUND, flavour);
        return score -> (above ? score > from : score >= from) && (below ? score < to : score <= to);
    }
}
