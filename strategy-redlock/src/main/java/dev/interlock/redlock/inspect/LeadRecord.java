// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The record that the lead keeps beside the lock, see {@code grants.lua}.
 *
 * @param hop how often the root was passed on
 * @param owner the token of the claim that owns the root now
 */
record LeadRecord(int hop, String owner) {
    private static final Pattern TEXT = Pattern.compile("(\\S+) (\\d{1,9}) (\\S+) \\d+ \\d+ \\d+ \\S+");

    /** Reads the record of a node; empty if it has none that belongs to a root. */
    static Optional<LeadRecord> of(NodeView view, String root) {
        Matcher record = TEXT.matcher(view.record());
        if (!view.token().equals(root) || !record.matches() || !record.group(1).equals(root)) {
            return Optional.empty();
        }
        String claim = record.group(3);
        return Optional.of(new LeadRecord(Integer.parseInt(record.group(2)), claim.equals("-") ? root : claim));
    }
}
