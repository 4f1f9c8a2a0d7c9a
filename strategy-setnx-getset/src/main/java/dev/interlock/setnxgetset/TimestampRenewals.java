// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxgetset;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LossCause;
import dev.interlock.engine.environment.Environment;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisNode;
import dev.interlock.setnxgetset.WrittenTimestamps.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of many locks by one transaction. Where that does not decide about a lease, it is renewed by
 * itself: if the key has another timestamp of the same claim, or if the server refuses the transaction, as it does for
 * one key that the user may not write, or when its memory is full.
 */
final class TimestampRenewals {
    /**
     * The most time of a transaction that is left for renewals one by one. While the keys of a slot are at two nodes, a
     * cluster asks to try the transaction again, which may take the rest.
     */
    private static final Duration LONGEST_RESERVE = Duration.ofMillis(500);

    private final RedisNode node;
    private final Settings settings;
    private final ExpiryClock clock;
    private final Environment env;
    private final GuardedWrites writes;
    private final Function<Claim, WrittenTimestamps> written;

    /** The renewal of one lease. Used by one thread. */
    private static final class Step {
        final Claim claim;
        final String key;
        final WrittenTimestamps mine;

        /** Unset as long as the lease has to be renewed by itself. */
        @Nullable
        Renewal outcome;

        Step(Claim claim, String key, WrittenTimestamps mine) {
            this.claim = claim;
            this.key = key;
            this.mine = mine;
        }
    }

    /** A write that is part of a transaction: the value that the key should have, and the one to write. */
    private record Write(Step step, String expected, Written next) {
        RedisCommand command() {
            return RedisCommand.of("GETSET", step.key, next.text());
        }

        /** Tells what has become of the lease, from the value that the key had. */
        void settle(@Nullable String found) {
            if (expected.equals(found)) {
                step.mine.confirmed(next);
                step.outcome = new Renewal.Renewed(SetnxGetsetProtocol.validity(step.claim));
                return;
            }
            step.mine.rejected(next);
            if (found == null) {
                step.outcome = new Renewal.Lost(LossCause.GONE);
            } else if (step.mine.find(found).isEmpty()) {
                step.outcome = new Renewal.Lost(LossCause.TAKEN);
            }
        }
    }

    /** @param written returns what each claim has written */
    TimestampRenewals(
            RedisNode node,
            Settings settings,
            ExpiryClock clock,
            Environment env,
            GuardedWrites writes,
            Function<Claim, WrittenTimestamps> written) {
        this.node = node;
        this.settings = settings;
        this.clock = clock;
        this.env = env;
        this.writes = writes;
        this.written = written;
    }

    /** Renews the leases of claims that have one lane and one time-out. */
    List<Renewal> renew(List<Claim> claims) {
        List<Step> steps = claims.stream()
                .map(claim -> new Step(claim, settings.key(claim.name()), written.apply(claim)))
                .toList();
        try {
            for (List<Step> batch : SlotBatches.of(steps, step -> step.key, node)) {
                Duration patience = batch.get(0).claim.timeout();
                long untilNanos = env.nanoTime() + patience.toNanos();
                if (batch.size() > 1) {
                    renewTogether(batch, untilNanos - reserve(patience).toNanos());
                }
                for (Step step : batch) {
                    if (step.outcome == null) {
                        renewAlone(step, untilNanos);
                        // The server answers, so that each of the others may have all the time.
                        untilNanos = env.nanoTime() + patience.toNanos();
                    }
                }
            }
        } catch (LockBackendException e) {
            // There is one server: if it does not answer for one lock, requests for the others would only queue up.
            Renewal failed = new Renewal.Failed(e);
            return steps.stream()
                    .map(step -> step.outcome == null ? failed : step.outcome)
                    .toList();
        }
        return steps.stream().map(step -> step.outcome).toList();
    }

    private static Duration reserve(Duration patience) {
        Duration half = patience.dividedBy(2);
        return half.compareTo(LONGEST_RESERVE) < 0 ? half : LONGEST_RESERVE;
    }

    /**
     * Renews leases by one transaction.
     *
     * @throws LockBackendException if it is not known whether it was carried out
     */
    private void renewTogether(List<Step> batch, long untilNanos) {
        List<Step> begun = new ArrayList<>();
        try {
            for (Step step : batch) {
                if (begins(step)) {
                    begun.add(step);
                }
            }
            if (begun.size() > 1) {
                transact(begun, untilNanos);
            }
        } finally {
            begun.forEach(step -> step.mine.end());
        }
    }

    private static boolean begins(Step step) {
        boolean begins = step.mine.begin(false);
        if (!begins) {
            step.outcome =
                    new Renewal.Failed(new LockBackendException(Reason.UNREACHABLE, "the lock is being released"));
        }
        return begins;
    }

    private void transact(List<Step> begun, long untilNanos) {
        List<Write> sent = new ArrayList<>();
        try {
            // All keys are at one server, whose clock may be the one that counts.
            long now = clock.nowMillis(begun.get(0).key, writes.left(untilNanos));
            begun.forEach(step -> write(step, now).ifPresent(sent::add));
            if (!sent.isEmpty()) {
                List<@Nullable String> found = node.transactWhereEqual(
                        sent.stream().map(write -> write.step.key).toList(),
                        sent.stream().map(Write::expected).toList(),
                        sent.stream().map(Write::command).toList(),
                        writes.left(untilNanos));
                IntStream.range(0, sent.size()).forEach(i -> sent.get(i).settle(found.get(i)));
            }
        } catch (LockBackendException e) {
            if (e.reason() == Reason.OUTCOME_UNKNOWN) {
                throw e;
            }
            sent.forEach(write -> write.step.mine.rejected(write.next));
        }
    }

    /** Prepares to write the next timestamp of a claim; empty if the lock is lost already. */
    private Optional<Write> write(Step step, long nowMillis) {
        Optional<Written> expected = step.mine.expected(settings.format().fraction(), nowMillis);
        if (expected.isEmpty()) {
            step.outcome = new Renewal.Lost(LossCause.GONE);
            return Optional.empty();
        }
        Written next = next(step.claim, step.mine, nowMillis);
        step.mine.sending(next);
        return Optional.of(new Write(step, expected.get().text(), next));
    }

    /**
     * Renews one lease.
     *
     * @throws LockBackendException if the server does not answer
     */
    private void renewAlone(Step step, long untilNanos) {
        if (!begins(step)) {
            return;
        }
        try {
            long now = clock.nowMillis(step.key, writes.left(untilNanos));
            step.outcome = step.mine
                    .ifMine(settings.format().fraction(), now, expected -> replace(step, expected, now, untilNanos))
                    .<Renewal>map(Renewal.Lost::new)
                    .orElseGet(() -> new Renewal.Renewed(SetnxGetsetProtocol.validity(step.claim)));
        } catch (LockBackendException e) {
            step.outcome = new Renewal.Failed(e);
            if (e.reason() != Reason.REFUSED) {
                throw e;
            }
        } finally {
            step.mine.end();
        }
    }

    /** Replaces a timestamp, if it is still the value of the key, by one with a later end. Returns what the key had. */
    private @Nullable String replace(Step step, String expected, long nowMillis, long untilNanos) {
        Written next = next(step.claim, step.mine, nowMillis);
        step.mine.sending(next);
        try {
            String holder = writes.replaceIfEqual(step.key, expected, next.text(), untilNanos);
            if (expected.equals(holder)) {
                step.mine.confirmed(next);
            } else {
                step.mine.rejected(next);
            }
            return holder;
        } catch (LockBackendException e) {
            if (e.reason() == Reason.UNREACHABLE) {
                step.mine.rejected(next);
            }
            throw e;
        }
    }

    /** Returns the timestamp to write now: a renewal never brings the end nearer. */
    private Written next(Claim claim, WrittenTimestamps mine, long nowMillis) {
        Duration lease = claim.lease();
        for (Written before : mine.all()) {
            Duration left = clock.leaseUntil(settings.format(), before, nowMillis);
            lease = left.compareTo(lease) > 0 ? left : lease;
        }
        return Written.make(settings.format(), nowMillis, lease, env);
    }
}
