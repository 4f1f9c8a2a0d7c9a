// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.run;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.Lease;
import dev.interlock.simulation.judge.Judge;
import dev.interlock.simulation.plan.Step;
import org.jspecify.annotations.Nullable;

/** Reads or writes under a read/write lock. A writer may go on reading when it has written. */
final class SideRun extends WorkRun {
    private final Step.Side side;
    private final DistributedLock reading;

    SideRun(SimulatedClient client, Step.Side side, String who, DistributedReadWriteLock sides) {
        super(client, side.work(), who, side.writes() ? sides.writeLock() : sides.readLock());
        this.side = side;
        this.reading = sides.readLock();
    }

    @Override
    void perform() throws InterruptedException {
        if (side.downgrades()) {
            writeAndRead();
        } else {
            super.perform();
        }
    }

    private void writeAndRead() {
        lock.lock();
        Judge.Held written = note(lock.lease().orElse(null));
        Judge.Held read = null;
        boolean reads = false;
        try {
            try {
                client.pass(task.holdNanos() / 2);
                reading.lock();
                reads = true;
                Lease lease = reading.lease().orElse(null);
                read = lease == null ? null : granted(lease, true);
            } finally {
                giveBack(written, lock::unlock);
            }
            client.pass(task.holdNanos() / 2);
        } finally {
            if (reads) {
                giveBack(read, reading::unlock);
            }
        }
    }

    @Override
    Judge.@Nullable Held granted(Lease lease) {
        return granted(lease, !side.writes());
    }

    private Judge.@Nullable Held granted(Lease lease, boolean reads) {
        if (!reads) {
            return super.granted(lease);
        }
        if (judge.isShared(task.lock())) {
            world.faultHadEffect("read-together");
        }
        return judge.shared(task.lock(), who, lease);
    }
}
