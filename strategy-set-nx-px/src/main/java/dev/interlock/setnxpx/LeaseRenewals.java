// SPDX-License-Identifier: Apache-2.0
package dev.interlock.setnxpx;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.LossCause;
import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.Renewal;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.LockKeys;
import dev.interlock.redis.RedisCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Renews the leases of many locks at a time. */
final class LeaseRenewals {
    private final LockKeys keys;
    private final Batches batches;
    private final OwnedTransactions transactions;
    private final Acknowledgement acknowledgement;

    LeaseRenewals(LockKeys keys, Batches batches, OwnedTransactions transactions, Acknowledgement acknowledgement) {
        this.keys = keys;
        this.batches = batches;
        this.transactions = transactions;
        this.acknowledgement = acknowledgement;
    }

    List<Renewal> byScript(List<Claim> claims) {
        Map<Claim, Renewal> renewals = new HashMap<>();
        batches.send(claims, this::script, acknowledgement, (group, answer) -> {
            try {
                List<?> states = (List<?>) answer.value();
                for (int i = 0; i < group.size(); i++) {
                    renewals.put(group.get(i), renewal(group.get(i), states.get(i), answer));
                }
            } catch (LockBackendException e) {
                group.forEach(claim -> renewals.put(claim, new Renewal.Failed(e)));
            }
        });
        return claims.stream().map(renewals::get).toList();
    }

    private RedisCommand script(List<Claim> claims) {
        List<String> args = new ArrayList<>(2 * claims.size());
        for (Claim claim : claims) {
            args.add(LockWord.of(claim));
            args.add(SetNxPxProtocol.millis(claim.lease()));
        }
        return RedisCommand.script(
                LockScripts.RENEW,
                claims.stream().map(claim -> keys.lock(claim.name())).toList(),
                args);
    }

    private static Renewal renewal(Claim claim, Object state, Batches.Answer answer) {
        if (!Long.valueOf(1).equals(state)) {
            return new Renewal.Lost(Long.valueOf(0).equals(state) ? LossCause.GONE : LossCause.TAKEN);
        }
        return answer.shortfall()
                .<Renewal>map(Renewal.Failed::new)
                .orElseGet(() -> new Renewal.Renewed(SetNxPxProtocol.validity(claim.lease())));
    }

    List<Renewal> byTransaction(List<Claim> claims) {
        List<Renewal> renewals = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            try {
                renewals.add(byTransaction(claim));
            } catch (LockBackendException e) {
                // All locks belong to one server: if it does not answer for one of them, the others would only wait in
                // line.
                List<Claim> failed =
                        e.reason() == Reason.REFUSED ? List.of(claim) : claims.subList(renewals.size(), claims.size());
                failed.forEach(it -> renewals.add(new Renewal.Failed(e)));
                if (renewals.size() == claims.size()) {
                    break;
                }
            }
        }
        return renewals;
    }

    private Renewal byTransaction(Claim claim) {
        return transactions
                .extend(claim)
                .<Renewal>map(Renewal.Lost::new)
                .orElseGet(() -> new Renewal.Renewed(SetNxPxProtocol.validity(claim.lease())));
    }
}
