// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.keys;

/** Computes a hash tag for each slot. The tags are parts of keys, so all versions must compute the same ones. */
final class SlotTags {
    private static final String[] TAGS = smallestNumbers();

    private SlotTags() {}

    /** Returns the smallest number in base 36 whose slot this is. */
    static String of(int slot) {
        return TAGS[slot];
    }

    private static String[] smallestNumbers() {
        String[] tags = new String[RedissonSlots.COUNT];
        int missing = tags.length;
        for (int number = 0; missing > 0; number++) {
            String tag = Integer.toString(number, Character.MAX_RADIX);
            int slot = RedissonSlots.of(tag);
            if (tags[slot] == null) {
                tags[slot] = tag;
                missing--;
            }
        }
        return tags;
    }
}
