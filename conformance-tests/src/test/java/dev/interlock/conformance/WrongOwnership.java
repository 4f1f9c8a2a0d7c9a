// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.List;

final class WrongOwnership {
    private WrongOwnership() {}

    static List<WrongLock> locks() {
        return List.of();
    }
}
