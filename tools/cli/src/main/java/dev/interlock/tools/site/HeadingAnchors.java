// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The anchors of the headings of one page, as GitHub makes them, so that a link leads to the same place there and on
 * the site.
 */
final class HeadingAnchors {
    private static final Pattern LEFT_OUT = Pattern.compile("[^\\p{L}\\p{M}\\p{N}\\p{Pc} -]");

    private final Map<String, Integer> seen = new HashMap<>();

    /** Returns the anchor of the next heading: its words, with a number if an earlier heading has the same. */
    String next(String heading) {
        String words = LEFT_OUT.matcher(heading.toLowerCase(Locale.ROOT))
                .replaceAll("")
                .replace(' ', '-');
        int times = seen.merge(words, 1, Integer::sum) - 1;
        return times == 0 ? words : words + "-" + times;
    }
}
