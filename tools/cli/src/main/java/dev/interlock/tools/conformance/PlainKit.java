// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.conformance.PlainLockConformance;
import dev.interlock.conformance.plain.PlainLocks;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtendWith;

/** The rules for plain locks, on the locks that its launcher session holds. */
@ExtendWith(Kit.Harnesses.class)
final class PlainKit extends PlainLockConformance {
    private final Supplier<PlainLocks> locks;

    PlainKit(Supplier<PlainLocks> locks) {
        this.locks = locks;
    }

    @Override
    protected PlainLocks locks() {
        return locks.get();
    }
}
