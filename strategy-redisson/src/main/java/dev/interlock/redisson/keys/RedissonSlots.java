// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson.keys;

import java.nio.charset.StandardCharsets;

/** The hash slots of a cluster. */
public final class RedissonSlots {
    static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;

    private RedissonSlots() {}

    /** Returns the slot of a key: CRC-16 of the part between its first braces, or of the whole key. */
    public static int of(String key) {
        int crc = 0;
        for (byte each : hashed(key).getBytes(StandardCharsets.UTF_8)) {
            crc ^= (each & 0xFF) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
        }
        return (crc & 0xFFFF) % COUNT;
    }

    /** Returns whether a part of a key decides about its slot, so that more text behind the key changes nothing. */
    static boolean hasTag(String key) {
        return !hashed(key).equals(key);
    }

    private static String hashed(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open);
        return close > open + 1 ? key.substring(open + 1, close) : key;
    }
}
