// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.List;

final class WrongFencing {
    private WrongFencing() {}

    static List<WrongLock> locks() {
        return List.of();
    }
}
