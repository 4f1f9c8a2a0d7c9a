// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.lead;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The roots that this client has owned or inherited last, so that messages need not contain their tokens. A claim that
 * does not know the root that it was passed asks the lead for it. Safe to use from any thread.
 */
final class KnownRoots {
    private static final int MOST = 1024;

    private final Map<String, String> tokens = new LinkedHashMap<>();

    /** Notes the token of the root of a lock. */
    synchronized void note(String name, String token) {
        tokens.remove(name);
        tokens.put(name, token);
        if (tokens.size() > MOST) {
            tokens.remove(tokens.keySet().iterator().next());
        }
    }

    /** Returns the token of the root of a lock if it has a digest, otherwise {@code null}. */
    @Nullable
    String find(String name, String digest) {
        String token = find(name);
        return token != null && PassMessage.digest(token).equals(digest) ? token : null;
    }

    private synchronized @Nullable String find(String name) {
        return tokens.get(name);
    }
}
