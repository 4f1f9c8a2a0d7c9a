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
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open);
        String hashed = close > open + 1 ? key.substring(open + 1, close) : key;
        int crc = 0;
        for (byte each : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (each & 0xFF) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
        }
        return (crc & 0xFFFF) % COUNT;
    }
}
