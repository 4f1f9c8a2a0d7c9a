// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces the ports of the addresses in replies by which local servers refer clients to each other. Immutable. */
final class PortTranslation {
    static final PortTranslation NONE = new PortTranslation(Map.of());

    /**
     * An address in the reply of a sentinel or in {@code CLUSTER SLOTS}, where host and port are elements of a list, or
     * in a redirection or in the message of a switch-over, where they are text.
     */
    private static final Pattern ADDRESS = Pattern.compile("(127\\.0\\.0\\.1(?:\r\n:|\r\n\\$\\d+\r\n|:| ))(\\d+)");

    private final Map<Integer, Integer> ports;

    /**
     * Creates a translation.
     *
     * @param ports the port that clients are told instead of each port; both have the same number of digits, because
     *     the length of a reply stands in front of it
     */
    PortTranslation(Map<Integer, Integer> ports) {
        ports.forEach((from, to) -> {
            if (from.toString().length() != to.toString().length()) {
                throw new IllegalArgumentException("ports " + from + " and " + to + " differ in length");
            }
        });
        this.ports = Map.copyOf(ports);
    }

    /** Returns a part of a reply, in which no address is cut off, with the ports replaced. */
    byte[] apply(byte[] reply) {
        if (ports.isEmpty()) {
            return reply;
        }
        return ADDRESS.matcher(new String(reply, ISO_8859_1))
                .replaceAll(address -> Matcher.quoteReplacement(address.group(1) + translate(address.group(2))))
                .getBytes(ISO_8859_1);
    }

    private String translate(String port) {
        // Longer numbers are not ports.
        Integer other = port.length() > 5 ? null : ports.get(Integer.valueOf(port));
        return other == null ? port : other.toString();
    }
}
