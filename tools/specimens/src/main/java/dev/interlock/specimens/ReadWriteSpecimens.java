// SPDX-License-Identifier: Apache-2.0
package dev.interlock.specimens;

import dev.interlock.LockBackendException;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.LockSide.Access;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import dev.interlock.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Read/write locks on a real server that are wrong where several processes meet. */
public final class ReadWriteSpecimens {
    private ReadWriteSpecimens() {}

    /** A lease is ended by the client that has it, which a dead one does not do. */
    public static final class LeasesEndedByClients extends SpecimenProvider {
        public LeasesEndedByClients() {
            super(
                    "leases-ended-by-clients",
                    making(EndedByClients::new),
                    Capability.READ_WRITE,
                    Capability.READ_WRITE_APART);
        }
    }

    /** A lease is three times as long on the server as it should be. */
    public static final class LeasedForTooLong extends SpecimenProvider {
        public LeasedForTooLong() {
            super(
                    "sides-leased-for-too-long",
                    making(ThreeLeases::new),
                    Capability.READ_WRITE,
                    Capability.READ_WRITE_APART);
        }
    }

    /** Writers that wait keep readers out, and one that has died goes on waiting. */
    public static final class DeadWritersWait extends SpecimenProvider {
        public DeadWritersWait() {
            super(
                    "dead-writers-wait",
                    making(WritersStayInTheSet::new),
                    Capability.READ_WRITE,
                    Capability.READ_WRITE_APART);
        }
    }

    /** A turn is granted for a moment, and whoever hears of it believes it at any later time. */
    public static final class TurnsBelievedLate extends SpecimenProvider {
        public TurnsBelievedLate() {
            super(
                    "turns-believed-late",
                    making(BelievesItsTurn::new),
                    Capability.READ_WRITE,
                    Capability.READ_WRITE_APART);
        }
    }

    private static SpecimenProvider.Making making(Function<SpecimenProtocol, ReadWriteProtocol> sides) {
        return (node, keys, timeout) -> new ProcessSpecimens.Sound(node, keys, timeout) {
            @Override
            public Optional<ReadWriteProtocol> readWrite() {
                return Optional.of(sides.apply(this));
            }
        };
    }

    /** Correct sides without fairness, which the other classes break. Readers are sorted by the ends of leases. */
    private static class Sides implements ReadWriteProtocol {
        private static final String READERS = """
                local time = redis.call('TIME')
                local now = time[1] * 1000 + math.floor(time[2] / 1000)
                redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
                local writer = redis.call('GET', KEYS[1])
                """;

        private static final String READ = READERS + """
                if (writer and writer ~= ARGV[3]) or (ARGV[3] == '' and redis.call('EXISTS', KEYS[3]) == 1) then
                  return 0
                end
                redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
                return 1
                """;

        private static final String WRITE = READERS + """
                if (writer or redis.call('EXISTS', KEYS[2]) == 1) and writer ~= ARGV[1] then
                  return 0
                end
                redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
                return 1
                """;

        private static final String EXTEND_READ = READERS + """
                return redis.call('ZADD', KEYS[2], 'XX', 'CH', now + ARGV[2], ARGV[1])
                """;

        private static final String EXTEND_WRITE = READERS + """
                return writer == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0
                """;

        private static final String STOP_READING = "return redis.call('ZREM', KEYS[2], ARGV[1])";

        private static final String STOP_WRITING = READERS + """
                return writer == ARGV[1] and redis.call('DEL', KEYS[1]) or 0
                """;

        final SpecimenProtocol server;

        Sides(SpecimenProtocol server) {
            this.server = server;
        }

        static boolean reads(SideClaim asked) {
            return asked.side().access() == Access.READ;
        }

        /** The writer, the readers, and those who wait to write. */
        private List<String> keys(LockSide side) {
            String base = server.keys.lock(side.lockName());
            return List.of(base + ":writer", base + ":readers", base + ":to-write");
        }

        final String waitingWriters(SideClaim asked) {
            return keys(asked.side()).get(2);
        }

        private boolean isDone(String script, SideClaim claim) {
            List<String> call = new ArrayList<>(List.of(script, "3"));
            call.addAll(keys(claim.side()));
            call.add(claim.claim().token());
            call.add(Long.toString(leaseOnServer(claim).toMillis()));
            call.add(claim.within().orElse(""));
            return server.isOne("EVAL", call.toArray(String[]::new));
        }

        Duration leaseOnServer(SideClaim claim) {
            return claim.claim().lease();
        }

        @Override
        public Attempt attempt(SideClaim asked) {
            try {
                return isDone(reads(asked) ? READ : WRITE, asked)
                        ? new Attempt.Granted(asked.claim().lease(), OptionalLong.empty())
                        : new Attempt.Refused(Optional.empty());
            } catch (LockBackendException e) {
                return new Attempt.Failed(e);
            }
        }

        @Override
        public final List<Renewal> renew(List<SideClaim> claims) {
            return claims.stream().map(this::renew).toList();
        }

        Renewal renew(SideClaim claim) {
            try {
                return isDone(reads(claim) ? EXTEND_READ : EXTEND_WRITE, claim)
                        ? new Renewal.Renewed(claim.claim().lease())
                        : new Renewal.Lost(LossCause.GONE);
            } catch (LockBackendException e) {
                return new Renewal.Failed(e);
            }
        }

        @Override
        public Release release(SideClaim given) {
            return isDone(reads(given) ? STOP_READING : STOP_WRITING, given)
                    ? new Release.Freed(true)
                    : new Release.Lost(LossCause.GONE);
        }

        @Override
        public final void releaseAll(List<SideClaim> claims) {
            claims.forEach(this::release);
        }

        @Override
        public final boolean isLocked(LockSide side) {
            return server.isOne("EXISTS", keys(side).get(side.access() == Access.READ ? 1 : 0));
        }

        @Override
        public final Watch watch(LockSide side, Runnable onTurn) {
            return Watch.NONE;
        }
    }

    private static final class ThreeLeases extends Sides {
        ThreeLeases(SpecimenProtocol server) {
            super(server);
        }

        @Override
        Duration leaseOnServer(SideClaim claim) {
            return super.leaseOnServer(claim).multipliedBy(3);
        }
    }

    private static final class EndedByClients extends Sides {
        private static final ScheduledExecutorService ENDS = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "specimen-ends");
            thread.setDaemon(true);
            return thread;
        });

        private final Map<String, Future<?>> ends = new ConcurrentHashMap<>();

        EndedByClients(SpecimenProtocol server) {
            super(server);
        }

        @Override
        Duration leaseOnServer(SideClaim claim) {
            return Duration.ofDays(1);
        }

        private void endLater(SideClaim held) {
            Future<?> end = ENDS.schedule(
                    () -> super.release(held), held.claim().lease().toMillis(), TimeUnit.MILLISECONDS);
            cancel(ends.put(held.claim().token(), end));
        }

        private static void cancel(@Nullable Future<?> end) {
            if (end != null) {
                end.cancel(false);
            }
        }

        @Override
        public Attempt attempt(SideClaim asked) {
            Attempt attempt = super.attempt(asked);
            if (attempt instanceof Attempt.Granted) {
                endLater(asked);
            }
            return attempt;
        }

        @Override
        Renewal renew(SideClaim claim) {
            Renewal renewal = super.renew(claim);
            if (renewal instanceof Renewal.Renewed) {
                endLater(claim);
            }
            return renewal;
        }

        @Override
        public Release release(SideClaim given) {
            cancel(ends.remove(given.claim().token()));
            return super.release(given);
        }
    }

    private static final class WritersStayInTheSet extends Sides {
        WritersStayInTheSet(SpecimenProtocol server) {
            super(server);
        }

        @Override
        public Attempt attempt(SideClaim asked) {
            Attempt attempt = super.attempt(asked);
            if (!reads(asked)) {
                boolean waits = asked.claim().isWaiting() && attempt instanceof Attempt.Refused;
                server.call(
                        waits ? "SADD" : "SREM",
                        waitingWriters(asked),
                        asked.claim().token());
            }
            return attempt;
        }

        @Override
        public Release release(SideClaim given) {
            server.call("SREM", waitingWriters(given), given.claim().token());
            return super.release(given);
        }
    }

    /** The first of those who wait is given a turn by whoever releases a side. */
    private static final class BelievesItsTurn extends Sides {
        private static final Duration TURN = Duration.ofMillis(500);

        BelievesItsTurn(SpecimenProtocol server) {
            super(server);
        }

        private String queue(SideClaim claim) {
            return waitingWriters(claim) + ":queue";
        }

        private String turns(SideClaim claim) {
            return waitingWriters(claim) + ":turns";
        }

        /** What stands in the queue for a claim. */
        private static String place(SideClaim claim) {
            return claim.side().access() + " " + claim.claim().token();
        }

        @Override
        public Attempt attempt(SideClaim asked) {
            Attempt attempt = super.attempt(asked);
            if (attempt instanceof Attempt.Granted) {
                server.call("LREM", queue(asked), "0", place(asked));
            } else if (server.isOne("SISMEMBER", turns(asked), place(asked))) {
                return new Attempt.Granted(asked.claim().lease(), OptionalLong.empty());
            } else if (asked.claim().isWaiting() && server.call("LPOS", queue(asked), place(asked)) == null) {
                server.call("RPUSH", queue(asked), place(asked));
            }
            return attempt;
        }

        @Override
        public Release release(SideClaim given) {
            server.call("LREM", queue(given), "0", place(given));
            server.call("SREM", turns(given), place(given));
            Release release = super.release(given);
            Object first = server.call("LPOP", queue(given));
            if (first != null) {
                server.call("SADD", turns(given), first.toString());
                super.attempt(turnOf(first.toString(), given));
            }
            return release;
        }

        private static SideClaim turnOf(String place, SideClaim given) {
            int space = place.indexOf(' ');
            LockSide side = new LockSide(
                    Access.valueOf(place.substring(0, space)),
                    given.side().owner(),
                    given.side().lockName());
            Claim claim = new Claim(
                    given.claim().name(),
                    place.substring(space + 1),
                    TURN,
                    given.claim().timeout(),
                    1);
            return new SideClaim(side, claim, Optional.empty());
        }
    }
}
