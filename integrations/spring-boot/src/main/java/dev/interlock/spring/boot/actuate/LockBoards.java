// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import dev.interlock.LockConfig;
import dev.interlock.spring.boot.LockConfigCustomizer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The boards of all factories of the application. */
final class LockBoards implements LockConfigCustomizer {
    private final Map<String, LockBoard> boards = new ConcurrentHashMap<>();

    @Override
    public void customize(String factory, LockConfig.Builder config) {
        config.listener(of(factory));
    }

    /** Returns the board of a factory, which stays empty if nobody has asked for it to be watched. */
    LockBoard of(String factory) {
        return boards.computeIfAbsent(factory, name -> new LockBoard());
    }
}
