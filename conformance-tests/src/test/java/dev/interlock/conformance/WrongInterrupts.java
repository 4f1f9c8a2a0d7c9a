// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import java.util.List;

final class WrongInterrupts {
    private WrongInterrupts() {}

    static List<WrongLock> locks() {
        return List.of(new WrongLock("lockSwallowsTheInterrupt", "4.1", "4.2") {
            @Override
            DistributedLockFactory factory(DistributedLockFactory correct, LockConfig config) {
                return new ForwardingFactory(correct) {
                    @Override
                    DistributedLock spoil(DistributedLock lock) {
                        return new ForwardingLock(lock) {
                            @Override
                            public void lock() {
                                super.lock();
                                Thread.interrupted();
                            }
                        };
                    }
                };
            }
        });
    }
}
