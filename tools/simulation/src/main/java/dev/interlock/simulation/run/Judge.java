// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.Lease;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Watches what must hold at every moment: one holder with a valid lease, and tokens that grow in the order of the grants. */
final class Judge {
    private final List<Held> held = new ArrayList<>();
    private final Map<String, Long> lastTokens = new HashMap<>();
    private final boolean fenced;
    private final Consumer<String> note;
    private @Nullable String violation;
    private int grants;

    /** A lock that somebody believes to hold. */
    record Held(String lock, String who, Lease lease) {}

    /**
     * @param fenced whether there are tokens
     * @param note told of violations
     */
    Judge(boolean fenced, Consumer<String> note) {
        this.fenced = fenced;
        this.note = note;
    }

    /** Somebody was granted a lock. */
    Held granted(String lock, String who, Lease lease) {
        grants++;
        Held now = new Held(lock, who, lease);
        if (fenced && lease.isValid()) {
            long token = lease.fencingToken().orElse(-1);
            Long last = lastTokens.get(lock);
            if (last != null && token <= last) {
                violated("the token of " + who + " for \"" + lock + "\" is " + token + ", and one before was " + last);
            }
            lastTokens.put(lock, token);
        }
        held.add(now);
        look();
        return now;
    }

    /** Somebody is about to give a lock back. */
    void returned(Held one) {
        held.remove(one);
    }

    /** Whoever belongs to a process that has died holds nothing any more. */
    void died(String client) {
        held.removeIf(one -> one.who().startsWith(client + "/"));
    }

    /** Looks at who holds which lock now. */
    void look() {
        if (held.size() < 2 || violation != null) {
            return;
        }
        Map<String, String> valid = new HashMap<>();
        for (Held one : held) {
            if (one.lease().isValid()) {
                String other = valid.put(one.lock(), one.who());
                if (other != null) {
                    violated("both " + other + " and " + one.who() + " hold \"" + one.lock() + "\" with a valid lease");
                }
            }
        }
    }

    void violated(String what) {
        if (violation == null) {
            violation = what;
            note.accept("VIOLATION: " + what);
        }
    }

    Optional<String> violation() {
        return Optional.ofNullable(violation);
    }

    int grants() {
        return grants;
    }
}
