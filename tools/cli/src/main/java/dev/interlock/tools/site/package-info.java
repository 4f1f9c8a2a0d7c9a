// SPDX-License-Identifier: Apache-2.0
/**
 * The documentation as a static site, and the check of its links.
 *
 * <p>{@link dev.interlock.tools.site.Site} writes the pages of a checkout as HTML;
 * {@link dev.interlock.tools.site.LinkCheck} finds the links in them that lead nowhere.
 */
@NullMarked
package dev.interlock.tools.site;

import org.jspecify.annotations.NullMarked;
