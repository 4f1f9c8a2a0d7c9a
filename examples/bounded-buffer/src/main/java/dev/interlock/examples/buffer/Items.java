// SPDX-License-Identifier: Apache-2.0
package dev.interlock.examples.buffer;

/** The items of a buffer, first in, first out. Used by one thread at a time. */
public interface Items {
    /** Returns whether there is room for another item. */
    boolean isFull();

    /** Returns whether there is no item. */
    boolean isEmpty();

    /** Adds an item behind the others. */
    void add(String item);

    /** Takes the first item out and returns it. */
    String remove();
}
