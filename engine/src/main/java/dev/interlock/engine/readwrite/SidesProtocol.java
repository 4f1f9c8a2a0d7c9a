// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.readwrite;

import dev.interlock.ServerStatus;
import dev.interlock.engine.protocol.Attempt;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.ConditionProtocol;
import dev.interlock.engine.protocol.JointLeases;
import dev.interlock.engine.protocol.LeaseProtocol;
import dev.interlock.engine.protocol.LockSide;
import dev.interlock.engine.protocol.ReadWriteProtocol;
import dev.interlock.engine.protocol.ReadWriteProtocol.SideClaim;
import dev.interlock.engine.protocol.Release;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.engine.protocol.Watch;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The protocol of a strategy that has read/write locks: claims for a side go to its {@link ReadWriteProtocol}, all
 * others to its {@link LeaseProtocol}. Safe to use from any thread.
 */
public final class SidesProtocol implements LeaseProtocol {
    private final LeaseProtocol plain;
    private final ReadWriteProtocol sides;
    private final Function<String, Optional<String>> currentToken;

    private SidesProtocol(
            LeaseProtocol plain, ReadWriteProtocol sides, Function<String, Optional<String>> currentToken) {
        this.plain = plain;
        this.sides = sides;
        this.currentToken = currentToken;
    }

    /**
     * Returns the protocol for the engine.
     *
     * @param plain the protocol of a strategy, which closing the returned one closes
     * @param currentToken returns the owner token under which the current thread holds the side of a key
     * @return the protocol itself if it has no read/write locks
     */
    public static LeaseProtocol around(LeaseProtocol plain, Function<String, Optional<String>> currentToken) {
        return plain.readWrite()
                .<LeaseProtocol>map(sides -> new SidesProtocol(plain, sides, currentToken))
                .orElse(plain);
    }

    @Override
    public Attempt attempt(Claim claim) {
        Optional<LockSide> side = LockSide.of(claim.name());
        return side.isEmpty()
                ? plain.attempt(claim)
                : sides.attempt(
                        new SideClaim(side.get(), claim, within(side.get().lockName())));
    }

    private Optional<String> within(String lockName) {
        return currentToken
                .apply(ReadWriteLocks.keyOfThread(LockSide.Access.WRITE, lockName))
                .or(() -> currentToken.apply(ReadWriteLocks.keyOfThread(LockSide.Access.READ, lockName)));
    }

    private static boolean isSide(Claim claim) {
        return LockSide.isSide(claim.name());
    }

    private static SideClaim sideClaim(Claim claim) {
        return new SideClaim(LockSide.of(claim.name()).orElseThrow(), claim, Optional.empty());
    }

    @Override
    public List<Renewal> renew(List<Claim> claims) {
        List<Claim> ofPlain = claims.stream().filter(claim -> !isSide(claim)).toList();
        if (ofPlain.size() == claims.size()) {
            return plain.renew(claims);
        }
        Iterator<Renewal> plainOutcomes = (ofPlain.isEmpty() ? List.<Renewal>of() : plain.renew(ofPlain)).iterator();
        Iterator<Renewal> sideOutcomes = sides.renew(claims.stream()
                        .filter(SidesProtocol::isSide)
                        .map(SidesProtocol::sideClaim)
                        .toList())
                .iterator();
        List<Renewal> outcomes = new ArrayList<>(claims.size());
        claims.forEach(claim -> outcomes.add(isSide(claim) ? sideOutcomes.next() : plainOutcomes.next()));
        return outcomes;
    }

    @Override
    public Release release(Claim claim) {
        return isSide(claim) ? sides.release(sideClaim(claim)) : plain.release(claim);
    }

    @Override
    public void releaseAll(List<Claim> claims) {
        List<Claim> ofPlain = new ArrayList<>();
        List<SideClaim> ofSides = new ArrayList<>();
        for (Claim claim : claims) {
            if (isSide(claim)) {
                ofSides.add(sideClaim(claim));
            } else {
                ofPlain.add(claim);
            }
        }
        try {
            if (!ofSides.isEmpty()) {
                sides.releaseAll(ofSides);
            }
        } finally {
            if (!ofPlain.isEmpty()) {
                // Passes the list itself if possible: its elements must not be read once no request may begin.
                plain.releaseAll(ofSides.isEmpty() ? claims : ofPlain);
            }
        }
    }

    @Override
    public String lane(String name) {
        return plain.lane(LockSide.lockName(name));
    }

    @Override
    public boolean isLocked(String name) {
        Optional<LockSide> side = LockSide.of(name);
        return side.isEmpty() ? plain.isLocked(name) : sides.isLocked(side.get());
    }

    @Override
    public Watch watch(String name, Runnable onFreed) {
        Optional<LockSide> side = LockSide.of(name);
        return side.isEmpty() ? plain.watch(name, onFreed) : sides.watch(side.get(), onFreed);
    }

    @Override
    public boolean queues() {
        return plain.queues();
    }

    @Override
    public boolean queues(String name) {
        return LockSide.isSide(name) ? sides.queues() : plain.queues(name);
    }

    @Override
    public void holdsChanged(Claim claim, int holds) {
        if (!isSide(claim)) {
            plain.holdsChanged(claim, holds);
        }
    }

    @Override
    public void watchTakeovers(Runnable onTakeover) {
        plain.watchTakeovers(onTakeover);
    }

    @Override
    public List<ServerStatus> servers() {
        return plain.servers();
    }

    @Override
    public Optional<ConditionProtocol> conditions() {
        return plain.conditions();
    }

    @Override
    public Optional<JointLeases> joint() {
        return plain.joint();
    }

    @Override
    public void close() {
        plain.close();
    }
}
