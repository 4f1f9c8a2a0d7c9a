// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.history;

import java.util.Arrays;

/**
 * The calls that have a place in the order. Those that end are placed nearly in the order of their ends, and so are one
 * run of ones and a few bits: that is all a snapshot copies of them. Those without an end are few, and apart, since
 * they may be far ahead of the run or never be placed.
 */
final class Placed {
    private final int ending;
    private final Bits certain;
    private final Bits uncertain;

    /**
     * Creates an empty set.
     *
     * @param ending how many calls end; they come first
     * @param size how many calls there are
     */
    Placed(int ending, int size) {
        this(ending, new Bits(ending), new Bits(size - ending));
    }

    private Placed(int ending, Bits certain, Bits uncertain) {
        this.ending = ending;
        this.certain = certain;
        this.uncertain = uncertain;
    }

    Placed copy() {
        return new Placed(ending, certain.copy(), uncertain.copy());
    }

    boolean has(int index) {
        return index < ending ? certain.has(index) : uncertain.has(index - ending);
    }

    /** Adds a call that is not among them, or removes one that is. */
    void flip(int index) {
        if (index < ending) {
            certain.flip(index);
        } else {
            uncertain.flip(index - ending);
        }
    }

    Snapshot snapshot() {
        return new Snapshot(certain.open, certain.rest(), uncertain.open, uncertain.rest());
    }

    /** The calls that were placed at one moment: of each kind a number of words of ones, and the words after them. */
    static final class Snapshot {
        private final int certainOnes;
        private final long[] certain;
        private final int uncertainOnes;
        private final long[] uncertain;

        Snapshot(int certainOnes, long[] certain, int uncertainOnes, long[] uncertain) {
            this.certainOnes = certainOnes;
            this.certain = certain;
            this.uncertainOnes = uncertainOnes;
            this.uncertain = uncertain;
        }

        long bytes() {
            return (long) (certain.length + uncertain.length) * Long.BYTES;
        }

        @Override
        public int hashCode() {
            return ((certainOnes * 31 + Arrays.hashCode(certain)) * 31 + uncertainOnes) * 31
                    + Arrays.hashCode(uncertain);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Snapshot that
                    && certainOnes == that.certainOnes
                    && uncertainOnes == that.uncertainOnes
                    && Arrays.equals(certain, that.certain)
                    && Arrays.equals(uncertain, that.uncertain);
        }
    }

    private static final class Bits {
        private final long[] words;

        /** The first word that is not all ones. */
        private int open;

        /** The word after the last that is not zero. */
        private int end;

        Bits(int size) {
            words = new long[(size + Long.SIZE - 1) / Long.SIZE];
        }

        private Bits(Bits other) {
            words = other.words.clone();
            open = other.open;
            end = other.end;
        }

        Bits copy() {
            return new Bits(this);
        }

        boolean has(int index) {
            return (words[index / Long.SIZE] & 1L << index) != 0;
        }

        void flip(int index) {
            int word = index / Long.SIZE;
            words[word] ^= 1L << index;
            if (has(index)) {
                end = Math.max(end, word + 1);
                while (open < words.length && words[open] == -1L) {
                    open++;
                }
            } else {
                open = Math.min(open, word);
                while (end > 0 && words[end - 1] == 0) {
                    end--;
                }
            }
        }

        long[] rest() {
            return Arrays.copyOfRange(words, open, Math.max(open, end));
        }
    }
}
