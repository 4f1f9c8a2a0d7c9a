// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock;

import dev.interlock.LockBackendException;
import dev.interlock.LockBackendException.Reason;
import dev.interlock.engine.environment.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The servers together: how many are enough, and whether each is another one. Safe to use from any thread. */
final class Members {
    private final List<Member> all;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable LockBackendException clash;

    Members(List<RedlockProtocol.Server> servers, Settings settings, Duration timeout, Environment env) {
        List<Member> members = new ArrayList<>();
        for (RedlockProtocol.Server server : servers) {
            members.add(new Member(env, server.name(), server.node(), settings, timeout, this::lookForClash));
        }
        this.all = List.copyOf(members);
    }

    int size() {
        return all.size();
    }

    Member get(int index) {
        return all.get(index);
    }

    List<Member> all() {
        return all;
    }

    int majority() {
        return all.size() / 2 + 1;
    }

    /** What is wrong if two endpoints lead to one server, which would have two votes. */
    @Nullable
    LockBackendException clash() {
        if (clash != null) {
            // Nobody is asked meanwhile who could notice that one of the connections has ended.
            all.forEach(Member::look);
        }
        return clash;
    }

    /** The same, among those who have voted by now: a connection may have been made since somebody last looked. */
    @Nullable
    LockBackendException clashOfVoters() {
        lookForClash();
        return clash();
    }

    private void lookForClash() {
        lock.lock();
        try {
            clash = findClash();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable LockBackendException findClash() {
        for (int i = 0; i < all.size(); i++) {
            String runId = all.get(i).runId();
            for (int j = 0; j < i; j++) {
                if (!runId.isEmpty() && runId.equals(all.get(j).runId())) {
                    return new LockBackendException(
                            Reason.REFUSED,
                            all.get(j).name() + " and " + all.get(i).name()
                                    + " are one and the same server, which can vote only once: name each server once");
                }
            }
        }
        return null;
    }

    void close() {
        all.forEach(Member::close);
    }
}
