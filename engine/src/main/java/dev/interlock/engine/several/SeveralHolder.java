// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.several;

import dev.interlock.Lease;
import dev.interlock.LockHandle;
import dev.interlock.LockOptions;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.threads.Wait;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The engine as a lock over several names sees it. Safe to use from any thread. */
public interface SeveralHolder {
    Environment environment();

    /** Returns the name of a thread of the factory that does a job. */
    String threadName(String job);

    /** Acquires the lock for the current thread; returns {@code false} if the time ran out. */
    boolean lock(NameSet names, LockOptions options, Wait wait) throws InterruptedException;

    /**
     * Acquires the lock for a handle.
     *
     * @param place where in the program the lock was asked for, or {@code null} if that is the caller
     * @return the handle, or empty if the time ran out
     */
    Optional<LockHandle> acquire(NameSet names, LockOptions options, Wait wait, @Nullable String place)
            throws InterruptedException;

    /** Gives up a hold of the current thread. */
    void unlock(NameSet names);

    boolean isLocked(NameSet names);

    boolean isHeldByCurrentThread(NameSet names);

    int holdCount(NameSet names);

    /** Returns the count of the current thread's hold, even if it is over. Has no effect. */
    int lastCount(NameSet names);

    Optional<Lease> lease(NameSet names);
}
