// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import java.util.List;

final class WrongWaiting {
    private WrongWaiting() {}

    static List<WrongLock> locks() {
        return List.of();
    }
}
