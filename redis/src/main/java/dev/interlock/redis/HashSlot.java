// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis;

import java.nio.charset.StandardCharsets;

/** Computes the hash slots of Redis Cluster. Safe to use from any thread. */
public final class HashSlot {
    /** The number of slots. */
    public static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;

    private HashSlot() {}

    /**
     * Returns the slot of a key: that of the part between its first braces, or of the whole key if that part is empty.
     *
     * @param key the key
     * @return its slot, from 0
     */
    public static int of(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        return crc16((close > open + 1 ? key.substring(open + 1, close) : key).getBytes(StandardCharsets.UTF_8))
                % COUNT;
    }

    private static int crc16(byte[] bytes) {
        int crc = 0;
        for (byte each : bytes) {
            crc ^= (each & 0xFF) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
            crc &= 0xFFFF;
        }
        return crc;
    }
}
