// SPDX-License-Identifier: Apache-2.0
package dev.interlock;

import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A {@link Lock} that excludes threads on all machines that use the same backend, strategy and name.
 *
 * <h2>Ownership</h2>
 *
 * A lock is held either by a thread or by a handle. {@link #lock}, {@link #lockInterruptibly} and the two
 * {@code tryLock} methods make the current thread the holder, platform or virtual: it may lock again
 * ({@link Capability#REENTRANT}), which costs no I/O, and must unlock as often; only it may unlock. {@link #acquire}
 * and {@link #tryAcquire} make the returned {@link LockHandle} the holder: any thread may use and close it, and nobody
 * can re-enter it.
 *
 * <h2>Leases</h2>
 *
 * Whoever holds the lock holds a {@link Lease}. It is extended in the background while {@link LockOptions#renewal()} is
 * on, and otherwise ends after {@link LockOptions#lease()}. A holder that lost its lease finds
 * {@link #isHeldByCurrentThread()} false and gets {@link LeaseLostException} from {@link #unlock}; {@link Lease#onLoss}
 * and {@link LockOptions#interruptOnLoss()} tell it sooner.
 *
 * <p>A thread that lost the lock is told once, by its next call about it. An acquisition then throws
 * {@link LeaseLostException} instead of acquiring the lock afresh, because the thread may still rely on what it lost;
 * the acquisition after that one acquires it afresh. An asynchronous acquisition, which is not the thread's own, does
 * not tell it. {@link #isHeldByCurrentThread()}, {@link #getHoldCount()} and {@link #lease()} tell it by their answers.
 *
 * <p>Re-entry costs no I/O if the backend has confirmed the lease within a third of its length, as renewal makes sure.
 * Otherwise it asks the backend first, for at most one command time-out, and believes the lease if there is no answer.
 *
 * <h2>Waiting</h2>
 *
 * The waiting threads of one factory queue in order of arrival, and only the first of them talks to the backend. There
 * is no order between factories. One deadline covers the wait in the queue and the wait for the backend.
 *
 * <h2>Several names</h2>
 *
 * A lock over {@linkplain DistributedLockFactory#getLock(Collection) several names} is held while all of them are held,
 * and excludes whoever wants any of them. It is acquired in one order, all names or none, within one deadline, and it
 * is lost with the first of its names. What is said here of the lock and its lease then holds for all of them together.
 *
 * <h2>When the backend fails</h2>
 *
 * An acquisition whose first request fails throws {@link LockBackendException}; before that, a factory that was
 * answered before asks once more within the same time-out. One that already waits goes on waiting through an outage
 * that is shorter than its lease; after that, or when its own time is over, it throws too. It does not report the lock
 * as taken because its own request was not answered. An acquisition that ends without the lock leaves nothing behind on
 * a server: what a request without an answer may have done is undone in the background.
 *
 * <h2>Memory effects</h2>
 *
 * Between threads that use one factory, a successful acquisition and release have the effects of a monitor's lock and
 * unlock, as {@link Lock} demands. Factories share nothing that could be ordered, not even two of one process.
 *
 * <p>Distributed locks are safe to use from any thread.
 */
public interface DistributedLock extends Lock {
    /**
     * Returns the name of this lock. That of a lock over several names shows them all, for people: it is not the name
     * of a lock.
     *
     * @return the name of this lock
     * @see #names
     */
    String name();

    /**
     * Returns the names that this lock is over, in the order in which they are acquired: one, unless the lock was made
     * by {@link DistributedLockFactory#getLock(Collection)}.
     *
     * @return the names; cannot be changed
     */
    default List<String> names() {
        return List.of(name());
    }

    /**
     * Acquires the lock for the current thread, and waits for it for as long as it takes.
     *
     * <p>Increments the hold count and returns at once if the current thread holds the lock already. An interrupt,
     * before or during the wait, neither ends the wait nor gets lost: the thread's interrupt status is set when this
     * method returns.
     *
     * @throws LeaseLostException if the current thread held the lock, lost it and was not told
     * @throws LockBackendException if the first request to the backend fails, or the backend does not answer for as
     *     long as a lease
     * @throws IllegalStateException if the factory is closed, before or during the wait; or if the thread would wait
     *     for itself or in a circle, because it holds the read lock and asks for the write lock of a
     *     {@link DistributedReadWriteLock}, or holds a later one of the {@linkplain #names names} of this lock
     * @throws Error if the thread already holds the lock {@value Integer#MAX_VALUE} times
     */
    @Override
    void lock();

    /**
     * Acquires the lock for the current thread unless it is interrupted, and waits for it for as long as it takes.
     *
     * <p>Increments the hold count and returns at once if the current thread holds the lock already. An interrupt that
     * comes while a request is on its way to the backend is acted on when that request ends, after one command time-out
     * at the latest.
     *
     * @throws InterruptedException if the current thread's interrupt status is set on entry, even if the lock is free,
     *     or the thread is interrupted before it has the lock; the status is then cleared, the lock not held, and
     *     nothing left behind
     * @throws LeaseLostException if the current thread held the lock, lost it and was not told
     * @throws LockBackendException if the first request to the backend fails, or the backend does not answer for as
     *     long as a lease
     * @throws IllegalStateException if the factory is closed, before or during the wait; or if the thread would wait
     *     for itself or in a circle, because it holds the read lock and asks for the write lock of a
     *     {@link DistributedReadWriteLock}, or holds a later one of the {@linkplain #names names} of this lock
     * @throws Error if the thread already holds the lock {@value Integer#MAX_VALUE} times
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires the lock for the current thread if it is free, without waiting for it.
     *
     * <p>Increments the hold count if the current thread holds the lock already. Asks the backend once, unless another
     * thread of this factory holds the lock or waits for it, which makes the answer {@code false}. Blocks only for that
     * request, at most one command time-out. The interrupt status is neither looked at nor lost.
     *
     * @return {@code true} if the current thread now holds the lock, {@code false} if somebody else does
     * @throws LeaseLostException if the current thread held the lock, lost it and was not told
     * @throws LockBackendException if the request to the backend fails
     * @throws IllegalStateException if the factory is closed
     * @throws Error if the thread already holds the lock {@value Integer#MAX_VALUE} times
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock for the current thread if it becomes free within a time and the thread is not interrupted.
     *
     * <p>Increments the hold count and returns at once if the current thread holds the lock already. With a time of
     * zero or less it does not wait, but asks the backend once. The time is measured on the monotonic clock from the
     * call; a request that is on its way when it ends is waited for, at most one command time-out.
     *
     * @param time the longest time to wait for the lock
     * @param unit the unit of {@code time}
     * @return {@code true} if the current thread now holds the lock, {@code false} if the time passed before it was
     *     free
     * @throws InterruptedException if the current thread's interrupt status is set on entry, even if the lock is free,
     *     or the thread is interrupted before it has the lock; the status is then cleared, the lock not held, and
     *     nothing left behind
     * @throws LeaseLostException if the current thread held the lock, lost it and was not told
     * @throws LockBackendException if the first request to the backend fails, or the backend does not answer for as
     *     long as a lease, or not before the time ends
     * @throws IllegalStateException if the factory is closed, before or during the wait; or if the thread would wait
     *     for itself or in a circle, because it holds the read lock and asks for the write lock of a
     *     {@link DistributedReadWriteLock}, or holds a later one of the {@linkplain #names names} of this lock
     * @throws Error if the thread already holds the lock {@value Integer#MAX_VALUE} times
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Undoes one acquisition of the current thread, and frees the lock if it was the last.
     *
     * <p>Waits for the answer of the backend, at most one command time-out; interrupts are ignored and preserved. If
     * the backend cannot be reached, this method returns normally: the release is repeated in the background, and the
     * lease ends by itself. Nothing but the caller's own lease is ever released.
     *
     * @throws LeaseLostException if the current thread held the lock and lost it; the lock may be in other hands.
     *     Thrown once for each hold that was lost, however much later, until the thread acquires the lock afresh
     * @throws IllegalMonitorStateException if the current thread does not hold the lock, or holds it only as part of a
     *     lock over several names
     */
    @Override
    void unlock();

    /**
     * Returns the next numbered condition of this lock. The first condition that a lock object makes is the first of
     * all lock objects of that name in all clients, its second is their second, and so on. So a class which makes its
     * conditions in its constructor finds them again in every process:
     *
     * <pre>{@code
     * final Condition notFull = lock.newCondition();
     * final Condition notEmpty = lock.newCondition();
     * }</pre>
     *
     * <p>Each process has to make them in the same order; {@link #condition(String)} gives them names instead.
     * {@link #withLease Views} of a lock count together with it. Does no I/O. Conditions may be used by any thread, and
     * are cheap to make and to drop.
     *
     * <p>A condition is that of {@link Condition}, across clients: {@code await} gives the lock up, however often the
     * current thread holds it, waits until a thread of any client signals the condition, acquires the lock again and
     * holds it as often as before, with a new fencing token. {@code signal} wakes the thread that has waited longest
     * among all clients, {@code signalAll} all of them. Those that are signalled are granted the lock in the order of
     * the signals, after those that wait for it already. A signal is not lost with its waiter: if the process of the
     * waiter ends before that waiter has unlocked, the next waiter is woken. Actions before an {@code unlock} or an
     * {@code await} <i>happen before</i> those after the return of an {@code await} in the same process; between
     * processes they are ordered as by {@code lock} and {@code unlock}.
     *
     * <p>Only a thread that holds the lock by {@link #lock} and its kind can use its conditions; one that has a
     * {@link LockHandle} cannot. The methods of a condition throw
     *
     * <ul>
     *   <li>{@link IllegalMonitorStateException} if the current thread does not hold the lock;
     *   <li>{@link LeaseLostException}, which is one, if it has lost the lock. Then {@code await} has not waited, and
     *       the thread does not hold the lock;
     *   <li>{@link LockBackendException} if the backend does not carry a signal out, or refuses an {@code await}, in
     *       which case the thread holds the lock as before; or if the backend has not answered a waiting thread for as
     *       long as a lease, which then does not hold the lock, and of which {@code unlock} throws
     *       {@code LeaseLostException};
     *   <li>{@link IllegalStateException} if the factory is closed, before or during the wait; then the thread does not
     *       hold the lock.
     * </ul>
     *
     * <p>A wait may end without a signal, as {@link Condition} permits; that is rare, and happens where the backend
     * lost data, a connection broke, or a holder died. Waits should therefore occur in loops that test the predicate.
     * When an interrupt or the end of the time meets a signal, either the wait is the one that the signal has woken, or
     * the signal goes to the next waiter. An interrupt after the end of the time, while the thread acquires the lock
     * again, only sets the status. An interrupted thread that does not hold the lock gets {@link InterruptedException}
     * from the waits that an interrupt ends.
     *
     * <p>The timed waits measure their time on the monotonic clock from the call, and {@link Condition#awaitUntil}
     * converts its date at the call; to acquire the lock again may take longer, and is not bounded by the time.
     *
     * @return the condition
     * @throws UnsupportedOperationException if the strategy does not declare
     *     {@link dev.interlock.spi.Capability#CONDITIONS}
     */
    @Override
    Condition newCondition();

    /**
     * Returns the condition of a name. All lock objects of one lock, in all clients, have the same condition under the
     * same name; it is none of those that {@link #newCondition} numbers. Does no I/O. Apart from its name, it is a
     * condition like those.
     *
     * @param name the name, not blank, with at most 512 bytes in UTF-8
     * @return the condition
     * @throws IllegalArgumentException if the name is blank, longer than 512 bytes, or cannot be encoded in UTF-8
     * @throws UnsupportedOperationException if the strategy does not declare
     *     {@link dev.interlock.spi.Capability#CONDITIONS}
     */
    Condition condition(String name);

    /**
     * Acquires the lock for a handle unless the current thread is interrupted, and waits for it for as long as it
     * takes.
     *
     * <pre>{@code
     * try (LockHandle handle = lock.acquire()) {
     *     store.write(handle.fencingToken().orElseThrow(), data);
     * }
     * }</pre>
     *
     * @return the handle, which any thread may use and one must close
     * @throws InterruptedException if the current thread's interrupt status is set on entry, even if the lock is free,
     *     or the thread is interrupted before it has the lock; the status is then cleared and nothing left behind
     * @throws LeaseLostException if the current thread held the lock, lost it and was not told
     * @throws LockBackendException if the first request to the backend fails, or the backend does not answer for as
     *     long as a lease
     * @throws IllegalStateException if the factory is closed, before or during the wait, or if the current thread holds
     *     the lock by {@link #lock} and would wait for itself
     */
    LockHandle acquire() throws InterruptedException;

    /**
     * Acquires the lock for a handle if it is free, without waiting for it.
     *
     * <p>Asks the backend once, unless a thread or another handle of this factory holds the lock or waits for it, which
     * makes the answer empty. Blocks only for that request, at most one command time-out. The interrupt status is
     * neither looked at nor lost.
     *
     * @return the handle, which any thread may use and one must close, or empty if somebody else has the lock
     * @throws LeaseLostException if the current thread held the lock, lost it and was not told
     * @throws LockBackendException if the request to the backend fails
     * @throws IllegalStateException if the factory is closed, or if the current thread holds the lock by {@link #lock}
     */
    Optional<LockHandle> tryAcquire();

    /**
     * Acquires the lock for a handle if it becomes free within a time and the current thread is not interrupted. With a
     * time of zero or less it does not wait, but asks the backend once.
     *
     * @param wait the longest time to wait for the lock
     * @return the handle, which any thread may use and one must close, or empty if the time passed before the lock was
     *     free
     * @throws InterruptedException if the current thread's interrupt status is set on entry, even if the lock is free,
     *     or the thread is interrupted before it has the lock; the status is then cleared and nothing left behind
     * @throws LeaseLostException if the current thread held the lock, lost it and was not told
     * @throws LockBackendException if the first request to the backend fails, or the backend does not answer for as
     *     long as a lease, or not before the time ends
     * @throws IllegalStateException if the factory is closed, before or during the wait, or if the current thread holds
     *     the lock by {@link #lock} and would wait for itself
     */
    Optional<LockHandle> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Acquires the lock for a handle without blocking the current thread, and waits for it for as long as it takes.
     *
     * <pre>{@code
     * lock.acquireAsync().thenAccept(handle -> {
     *     try (handle) {
     *         store.write(handle.fencingToken().orElseThrow(), data);
     *     }
     * });
     * }</pre>
     *
     * <p>The acquisition runs on a daemon thread of its own, a virtual one where the runtime has them, or one that the
     * {@linkplain LockConfig.Builder#threadFactory thread factory} of the configuration makes if there is one. That
     * thread also runs the dependents that are added before the acquisition ends, and nothing else, so they may block;
     * those that are added later run on the thread that adds them, as with every {@link CompletableFuture}. A thread
     * that waits for the stage by {@code get} or {@code join} may be made to run some of its dependents too.
     *
     * <p>{@linkplain CompletableFuture#cancel Cancelling} the returned stage by its
     * {@link CompletionStage#toCompletableFuture future} gives the place in the queue up, and so does completing it in
     * another way, as {@link CompletableFuture#orTimeout orTimeout} does, before the dependents of the stage run. If
     * the lock was granted at that very moment, it is given back at once. To complete a
     * {@linkplain CompletableFuture#copy copy} of the stage ends nothing. Cancelling a stage that has completed has no
     * effect, and the handle stays valid; nor has cancelling a dependent stage.
     *
     * <p>The hold belongs to the handle, not to a thread: the caller may hold the lock by {@link #lock}, in which case
     * the stage completes when it has unlocked it. The interrupt status of the caller is neither looked at nor lost,
     * and a loss that its thread was not told is still told by the thread's next call.
     *
     * @return a stage that completes with the handle, which any thread may use and one must close; exceptionally with
     *     {@link LockBackendException} if the first request to the backend fails, or the backend does not answer for as
     *     long as a lease; with {@link IllegalStateException} if the factory is closed, before or during the wait
     */
    CompletionStage<LockHandle> acquireAsync();

    /**
     * Acquires the lock for a handle if it becomes free within a time, without blocking the current thread. With a time
     * of zero or less it does not wait for the lock, but asks the backend once. The time is measured from the call.
     * Apart from it, this is {@link #acquireAsync}.
     *
     * @param wait the longest time to wait for the lock
     * @return a stage that completes with the handle, which any thread may use and one must close, or with an empty
     *     optional if the time passed before the lock was free; exceptionally with {@link LockBackendException} if the
     *     first request to the backend fails, or the backend does not answer for as long as a lease, or not before the
     *     time ends; with {@link IllegalStateException} if the factory is closed, before or during the wait
     */
    CompletionStage<Optional<LockHandle>> tryAcquireAsync(Duration wait);

    /**
     * Returns a view of this lock whose acquisitions use another lease. Everything else is as in this object: it is the
     * same lock, so that a thread which acquired it through the one holds it through the other. Re-entry does not
     * change the lease of a hold. Does no I/O, and the view is cheap to make and to drop.
     *
     * <pre>{@code
     * lock.withLease(Duration.ofMinutes(5)).lock();
     * }</pre>
     *
     * @param lease the lease of acquisitions through the view, within the bounds of {@link LockOptions.Builder#lease}
     * @return the view
     * @throws IllegalArgumentException if the lease lies outside its bounds, or is longer than
     *     {@link LockOptions#maxHold()}
     */
    DistributedLock withLease(Duration lease);

    /**
     * Tells whether this lock is held now, by a thread or handle of this factory or of any other client. Asks the
     * backend, and takes nothing: the answer may be outdated when the caller has it, so it is for monitoring, and not
     * for deciding whether to acquire the lock. A lease that its holder lost without having been told may count until
     * the backend ends it.
     *
     * <p>Waits for the answer of the backend, at most one command time-out; interrupts are ignored and preserved.
     *
     * @return {@code true} if the backend has a holder of this lock
     * @throws LockBackendException if the backend does not answer, or cannot say
     * @throws IllegalStateException if the factory is closed
     */
    boolean isLocked();

    /**
     * Tells whether the current thread holds this lock. Does no I/O, unless the wall clock says that the machine was
     * suspended for as long as the lease: then it asks the backend, for at most one command time-out.
     *
     * @return {@code true} if the current thread acquired the lock, has not unlocked it as often, and has not lost it;
     *     {@code false} also if the backend does not answer after the machine was suspended
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns the number of times that the current thread must unlock this lock to free it. Does no I/O.
     *
     * @return the number of holds, zero if the current thread does not hold the lock
     */
    int getHoldCount();

    /**
     * Returns the lease by which the current thread holds this lock. {@link #unlock} ends the lease. Does no I/O.
     *
     * @return the lease, which any thread may look at, or empty if the current thread does not hold the lock
     */
    Optional<Lease> lease();
}
