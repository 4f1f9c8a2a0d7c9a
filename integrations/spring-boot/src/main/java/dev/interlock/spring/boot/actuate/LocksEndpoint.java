// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot.actuate;

import dev.interlock.DistributedLockFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * The actuator endpoint {@code locks}: the present state of this application's locks, and whether anybody holds a lock.
 * It names locks, and neither shows owner tokens nor acquires or releases anything.
 */
@Endpoint(id = "locks")
public final class LocksEndpoint {
    private final LockBoards boards;
    private final Map<String, DistributedLockFactory> factories;

    LocksEndpoint(LockBoards boards, Map<String, DistributedLockFactory> factories) {
        this.boards = boards;
        this.factories = factories;
    }

    /**
     * Describes the locks of this application, or one lock of all applications.
     *
     * @param name the name of a lock, of which the servers are asked; or null for those that this application holds or
     *     waits for
     * @return a {@link LocksDescriptor}, or a {@link LockDescriptor} if there is a name
     */
    @ReadOperation
    public Object locks(@Nullable String name) {
        return name == null ? all() : one(name);
    }

    private LocksDescriptor all() {
        Map<String, FactoryDescriptor> descriptors = new LinkedHashMap<>();
        factories.forEach(
                (factory, locks) -> descriptors.put(factory, boards.of(factory).describe(locks.strategy())));
        return new LocksDescriptor(descriptors);
    }

    private LockDescriptor one(String name) {
        Map<String, LockState> states = new LinkedHashMap<>();
        factories.forEach((factory, locks) -> {
            LockBoard board = boards.of(factory);
            states.put(factory, new LockState(locks.getLock(name).isLocked(), board.held(name), board.waiting(name)));
        });
        return new LockDescriptor(name, states);
    }

    /**
     * The locks of this application.
     *
     * @param factories those of each factory, by the name of its bean
     */
    public record LocksDescriptor(Map<String, FactoryDescriptor> factories) {}

    /**
     * The locks of a factory.
     *
     * @param strategy the name of its strategy
     * @param held the locks that it holds
     * @param waiting the locks that its threads wait for
     * @param losses how many locks it has lost since the start
     * @param recentLosses the last of them, the newest first
     * @param eventsDropped how many events are missing here; if there are any, the lists may be wrong
     */
    public record FactoryDescriptor(
            String strategy,
            List<HeldLock> held,
            List<WaitedLock> waiting,
            long losses,
            List<LostLock> recentLosses,
            long eventsDropped) {}

    /**
     * A lock that is held.
     *
     * @param name its name
     * @param since since when, as this machine's clock says
     * @param fencingToken the fencing token, if the strategy draws one
     * @param renewed when the lease was last renewed, if it was
     * @param validUntil until when it is valid after that renewal
     */
    public record HeldLock(
            String name,
            Instant since,
            @Nullable Long fencingToken,
            @Nullable Instant renewed,
            @Nullable Instant validUntil) {}

    /**
     * A lock that is waited for.
     *
     * @param name its name
     * @param threads how many threads wait, the one included that asks the servers
     */
    public record WaitedLock(String name, int threads) {}

    /**
     * A lock that was lost.
     *
     * @param name its name
     * @param at when
     * @param cause why
     * @param summary the same in words
     * @param held for how long it was held
     */
    public record LostLock(String name, Instant at, String cause, String summary, Duration held) {}

    /**
     * A lock, whoever holds it.
     *
     * @param name its name
     * @param factories what each factory says of it, by the name of its bean
     */
    public record LockDescriptor(String name, Map<String, LockState> factories) {}

    /**
     * The state of a lock as a factory sees it.
     *
     * @param locked whether anybody holds it, as the servers say
     * @param held how this application holds it, if it does
     * @param waiting how many of its threads wait for it
     */
    public record LockState(boolean locked, @Nullable HeldLock held, int waiting) {}
}
