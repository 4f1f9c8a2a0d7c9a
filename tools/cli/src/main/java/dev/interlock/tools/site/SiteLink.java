// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.site;

/**
 * A link or an image on a page, as its author wrote it.
 *
 * @param target what the page names: an address, a path relative to the page, an anchor, or a path with an anchor
 * @param line the line of the page, from 1
 */
record SiteLink(String target, int line) {
    /**
     * Returns whether the link leads out of the checkout, so that only a network could tell whether its target exists.
     */
    boolean isExternal() {
        return isExternal(target);
    }

    static boolean isExternal(String target) {
        return target.matches("[A-Za-z][A-Za-z0-9+.-]*:.*");
    }

    /** The path in a target; empty if it names an anchor of its own page. */
    static String path(String target) {
        int hash = target.indexOf('#');
        return hash < 0 ? target : target.substring(0, hash);
    }

    /** The anchor in a target, without its {@code #}; empty if there is none. */
    static String anchor(String target) {
        int hash = target.indexOf('#');
        return hash < 0 ? "" : target.substring(hash + 1);
    }
}
