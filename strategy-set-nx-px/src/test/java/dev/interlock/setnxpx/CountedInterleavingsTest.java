// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.setnxpx.intercept.InterposedNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An acquisition by three plain commands, before each of which others do something: all combinations of what they can
 * do.
 */
@Tag("deep")
class CountedInterleavingsTest extends ProtocolFixture {
    private static final String FENCE = KEY + ":fence";

    private enum Deed {
        NOTHING,
        /** Another client takes the lock, counting as well, and gives it back. */
        PASS,
        /** Another client takes the lock, counting as well. */
        HOLD,
        /** Another client waits for the lock, or has it if nobody holds it. */
        WAIT,
        /** The client that takes itself for the holder gives the lock back. */
        GIVE_BACK,
        /** The lease of the lock ends. */
        EXPIRE,
        /** The counter is lost. */
        LOSE_COUNTER
    }

    private LeaseProtocol protocol;
    private LeaseProtocol other;
    private final List<LeaseProtocol> waiters = new ArrayList<>();

    // The state of one combination.
    private final Map<Claim, LeaseProtocol> claims = new HashMap<>();
    private final Deque<Claim> waiting = new ArrayDeque<>();
    private final Deque<LeaseProtocol> idle = new ArrayDeque<>();
    private final Set<Long> tokens = new HashSet<>();
    private Claim holder;
    private Claim mine;
    private boolean lost;

    @BeforeEach
    void open() {
        protocol = counting();
        other = counting();
        for (int i = 0; i < 3; i++) {
            LeaseProtocol waiter = protocol();
            listen(waiter);
            waiters.add(waiter);
        }
    }

    @ParameterizedTest
    @EnumSource(Deed.class)
    void tokensGrowFromHolderToHolderAndNothingStaysBehind(Deed beforeSet) {
        for (Deed beforeCount : Deed.values()) {
            for (Deed beforeLook : Deed.values()) {
                begin();
                InterposedNode node = node(protocol);
                node.beforeCommand("SET", () -> act(beforeSet));
                node.beforeCommand("INCRBY", () -> act(beforeCount));
                node.beforeCommand("EXISTS", () -> act(beforeLook));

                take(List.of(beforeSet, beforeCount, beforeLook).toString());
                end(List.of(beforeSet, beforeCount, beforeLook).toString());
            }
        }
    }

    private void begin() {
        prove(protocol);
        prove(other);
        claims.clear();
        tokens.clear();
        idle.addAll(waiters);
        holder = null;
        lost = false;
    }

    private void take(String deeds) {
        mine = once();
        claims.put(mine, protocol);
        Attempt attempt = protocol.attempt(mine);
        assertThat(node(protocol).sent).as(deeds).startsWith("SET", "INCRBY", "EXISTS");
        if (attempt instanceof Attempt.Granted granted && lost) {
            // The lease ended before the answer came, so that nobody holds the lock by this token.
            assertThat(tokens).as(deeds).doesNotContain(granted.firstFence().orElseThrow());
        } else if (attempt instanceof Attempt.Granted granted) {
            hold(mine, granted);
            assertThat(owner()).as(deeds).isEqualTo(mine);
        } else {
            assertRefused(attempt);
            assertThat(owner()).as(deeds).isNotEqualTo(mine);
        }
    }

    /** Everybody who waits has the lock in the end, and when all have given it back nothing is left. */
    private void end(String deeds) {
        giveBack();
        for (int i = 0; i < 20 && !waiting.isEmpty(); i++) {
            Claim next = waiting.remove();
            if (claims.get(next).attempt(next) instanceof Attempt.Granted granted) {
                hold(next, granted);
                giveBack();
            } else {
                waiting.add(next);
            }
        }
        assertThat(waiting).as(deeds).isEmpty();
        claims.forEach((claim, client) -> client.release(claim));
        assertThat(word()).as(deeds).isNull();
        assertThat(waiters()).as(deeds).isEqualTo(0L);
        assertThat((Long) redis.server.command("PTTL", FENCE)).as(deeds).isNotEqualTo(-1L);
    }

    private void act(Deed deed) {
        switch (deed) {
            case NOTHING -> {}
            case PASS -> {
                ask(other, once());
                giveBackOf(other);
            }
            case HOLD -> ask(other, once());
            case WAIT -> {
                Claim claim = waiting();
                if (!ask(idle.remove(), claim)) {
                    waiting.add(claim);
                }
            }
            case GIVE_BACK -> giveBack();
            case EXPIRE -> expire();
            case LOSE_COUNTER -> redis.server.command("DEL", FENCE);
        }
    }

    private boolean ask(LeaseProtocol client, Claim claim) {
        claims.put(claim, client);
        if (client.attempt(claim) instanceof Attempt.Granted granted) {
            hold(claim, granted);
            return true;
        }
        return false;
    }

    private void hold(Claim claim, Attempt.Granted granted) {
        assertThat(holder).as("who holds the lock at the same time").isNull();
        long token = granted.firstFence().orElseThrow();
        assertThat(tokens).allMatch(each -> each < token);
        tokens.add(token);
        holder = claim;
    }

    private void giveBackOf(LeaseProtocol client) {
        if (holder != null && claims.get(holder) == client) {
            giveBack();
        }
    }

    private void giveBack() {
        Claim former = holder;
        holder = null;
        if (former != null) {
            claims.get(former).release(former);
        }
    }

    private void expire() {
        Claim owner = owner();
        // The client has been granted the lock by a message, so it does not wait any more.
        waiting.remove(owner);
        lost |= owner != null && owner.equals(mine);
        holder = null;
        redis.server.command("DEL", KEY);
    }

    /** Returns the claim whose word is in the key, or {@code null} if there is none. */
    private Claim owner() {
        Object word = word();
        return claims.keySet().stream()
                .filter(claim ->
                        LockWord.of(claim).equals(word) || marked(claim).equals(word))
                .findFirst()
                .orElse(null);
    }
}
