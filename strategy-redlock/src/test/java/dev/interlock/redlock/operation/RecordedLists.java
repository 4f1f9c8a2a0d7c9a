// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.operation;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.redlock.birth.Eligibility;
import dev.interlock.redlock.joint.Configuration;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Servers of which each keeps a list, has none, or refuses to tell it. No client is connected to them. */
final class RecordedLists implements NodeChange.Nodes {
    private final Map<String, @Nullable Configuration> lists = new HashMap<>();
    private final Map<String, String> runIds = new HashMap<>();

    void keep(String address, Configuration list) {
        lists.put(address, list);
    }

    void lose(String address) {
        lists.remove(address);
    }

    void fail(String address) {
        lists.put(address, null);
    }

    void isProcess(String address, String runId) {
        runIds.put(address, runId);
    }

    @Override
    public Optional<NodeChange.KeptList> listAt(String address) {
        if (!lists.containsKey(address)) {
            return Optional.empty();
        }
        Configuration list = lists.get(address);
        if (list == null) {
            throw new LockBackendException(Reason.REFUSED, "NOAUTH of " + address);
        }
        return Optional.of(new NodeChange.KeptList(list, runIds.getOrDefault(address, "run of " + address)));
    }

    @Override
    public @Nullable Eligibility eligibility(int index) {
        return null;
    }

    @Override
    public void look() {}

    @Override
    public void requireCount(int count) {}

    @Override
    public long driftNanos(Duration time) {
        return 0;
    }
}
