// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.inspect;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.LockWire;
import dev.interlock.redis.LuaScript;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.inspect.FactoryCard;
import dev.interlock.redis.inspect.InspectedLock;
import dev.interlock.redis.inspect.InspectedLock.Votes;
import dev.interlock.redis.inspect.LockInspection;
import dev.interlock.redis.inspect.LockParty;
import dev.interlock.redis.inspect.PeerFormat;
import dev.interlock.redlock.joint.ListedNode;
import dev.interlock.redlock.lead.LeadScripts;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Asks all nodes, counts their votes, and reads the queue at the lead. Does not reveal owner tokens. */
final class RedlockInspection implements LockInspection {
    private static final LuaScript LOOK = LuaScript.load(RedlockInspection.class, "redlock-look.lua");

    /** The number of waiters that are listed. */
    private static final String MOST_WAITERS = "100";

    /** A smaller fencing token is no time in µs, but a counter that another program has set. */
    private static final long LEAST_TIME = 1_000_000_000_000_000L;

    private static final String ONE_SERVER =
            "one server does not decide, and this one does not know the others: name them all";
    private static final String NO_MAJORITY =
            "no majority has it: it is being acquired or released, was left behind, or too few servers answer";

    private final InspectedNodes nodes;
    private final LockWire wire;
    private final LockKeys keys;
    private final LeadScripts scripts;
    private final String birthRecord;

    RedlockInspection(InspectedNodes nodes, LockWire wire, String keyPrefix) {
        this.nodes = nodes;
        this.wire = wire;
        this.keys = wire.keys(keyPrefix);
        this.birthRecord = keyPrefix + ":birth";
        this.scripts = new LeadScripts(keys, birthRecord, true, Duration.ZERO);
    }

    @Override
    public String keyPattern() {
        return keys.pattern();
    }

    @Override
    public Optional<String> keyType() {
        return Optional.of("string");
    }

    @Override
    public Optional<String> lockName(String key) {
        return keys.name(key);
    }

    @Override
    public Optional<InspectedLock> look(String name) {
        Election election = election(name);
        return election.winner()
                .map(token -> isForeign(token) ? foreign(name, election, token) : inspected(name, election, token));
    }

    /** What is no owner token is somebody else's, whether or not its format is known. */
    private boolean isForeign(String token) {
        return wire.isPlain() && !Election.isOwnerToken(token);
    }

    /** A lock that a client of another make holds. */
    private InspectedLock foreign(String name, Election election, String token) {
        return new InspectedLock(
                name,
                LockParty.unknown(token),
                remaining(election, token),
                OptionalLong.empty(),
                List.of(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.of(election.votes(token)),
                PeerFormat.describe(token));
    }

    /** Asks all nodes, and those that they have announced. */
    private Election election(String name) {
        List<NodeView> views = ask(name);
        boolean more = false;
        List<ListedNode> listed =
                Election.configuration(views).map(it -> it.nodes()).orElse(List.of());
        for (ListedNode node : listed) {
            boolean heard = views.stream().anyMatch(view -> view.index() == node.index());
            more |= !heard && nodes.join(node.address());
        }
        return new Election(more ? ask(name) : views, nodes.size(), wire.isPlain());
    }

    private List<NodeView> ask(String name) {
        RedisCommand look = RedisCommand.script(
                LOOK,
                List.of(keys.lock(name), keys.fence(name), keys.waiting(name), scripts.record(name), birthRecord),
                List.of(MOST_WAITERS));
        return nodes.ask(look, node -> reply -> NodeView.read(node, (List<?>) reply));
    }

    private InspectedLock inspected(String name, Election election, String root) {
        Map<String, Optional<FactoryCard>> cards = new HashMap<>();
        Optional<NodeView> lead = lead(election, root);
        Optional<LeadRecord> record = lead.flatMap(view -> LeadRecord.of(view, root));
        LockParty holder = LockParty.of(record.map(LeadRecord::owner).orElse(root));
        OptionalLong lastFence = election.views().stream()
                .map(NodeView::fence)
                .filter(fence -> fence.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .max();
        // A root that was passed on has the fencing tokens of its first owner.
        boolean dated = record.map(LeadRecord::hop).orElse(0) == 0
                && lastFence.isPresent()
                && lastFence.getAsLong() >= LEAST_TIME;
        List<LockParty> waiters = new ArrayList<>();
        lead.map(NodeView::waiters).orElse(List.of()).forEach(waiter -> {
            LockParty party = LockParty.of(waiter.token());
            waiters.add(party.with(Optional.of(instant(waiter.sinceMicros())), card(party, cards)));
        });
        Votes votes = election.votes(root);
        return new InspectedLock(
                name,
                holder.with(
                        dated ? Optional.of(instant(lastFence.getAsLong())) : Optional.empty(), card(holder, cards)),
                remaining(election, root),
                lastFence,
                waiters,
                OptionalLong.of(lead.map(NodeView::waiting).orElse(0L)),
                OptionalLong.empty(),
                Optional.of(votes),
                votes.decided() ? "" : votes.servers() == 1 ? ONE_SERVER : NO_MAJORITY);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /**
     * The node at which clients wait: the one that passed the lock on last, or otherwise the one with the longest
     * queue.
     */
    private static Optional<NodeView> lead(Election election, String root) {
        return election.views().stream()
                .max(Comparator.<NodeView>comparingInt(view ->
                                LeadRecord.of(view, root).map(LeadRecord::hop).orElse(-1))
                        .thenComparingLong(NodeView::waiting));
    }

    /** The lock is free when so many keys have expired that no majority is left. */
    private static Optional<Duration> remaining(Election election, String root) {
        List<Long> left = election.voters(root).stream()
                .map(view -> view.millis() < 0 ? Long.MAX_VALUE : view.millis())
                .sorted(Comparator.reverseOrder())
                .toList();
        long millis = left.get(Math.min(left.size(), election.majority()) - 1);
        return millis == Long.MAX_VALUE ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    /** Each node that could be reached has the card of a factory. */
    private Optional<FactoryCard> card(LockParty party, Map<String, Optional<FactoryCard>> known) {
        return known.computeIfAbsent(party.factory().orElseThrow(), factory -> {
            try {
                return nodes
                        .ask(
                                RedisCommand.of("GET", keys.factory(factory)),
                                node -> reply -> reply instanceof String text
                                        ? FactoryCard.read(text)
                                        : Optional.<FactoryCard>empty())
                        .stream()
                        .flatMap(Optional::stream)
                        .findFirst();
            } catch (LockBackendException e) {
                // A user without permission to read cards may still inspect locks.
                return Optional.empty();
            }
        });
    }

    @Override
    public boolean release(InspectedLock lock) {
        Election election = election(lock.name());
        Optional<String> root = election.winner();
        if (root.isEmpty()
                || isForeign(root.get())
                || !inspected(lock.name(), election, root.get())
                        .holder()
                        .claim()
                        .equals(lock.holder().claim())) {
            return false;
        }
        if (!election.isDecisive()) {
            throw new LockBackendException(
                    Reason.UNREACHABLE,
                    "nothing was released, since no majority of the servers answers: the lock would be held by the"
                            + " others as before");
        }
        return nodes.ask(scripts.release(lock.name(), root.get()), node -> reply -> ((List<?>) reply).get(0))
                .contains(1L);
    }

    @Override
    public void close() {
        nodes.close();
    }
}
