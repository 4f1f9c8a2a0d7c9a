// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redlock.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.engine.protocol.Claim;
import dev.interlock.engine.protocol.OwnerToken;
import dev.interlock.redlock.Fixture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Keys are restored while their locks are renewed, and not once they are released. */
class RestorationsTest {
    private final Restorations restorations = new Restorations();
    private final List<Claim> sent = new ArrayList<>();

    private static Claim claim(long number) {
        return new Claim("mine", new OwnerToken("token"), Fixture.PATIENCE, Fixture.PATIENCE, 1, number, false, true);
    }

    private void send(Claim... claims) {
        restorations.send(List.of(claims), sent::addAll);
    }

    @Test
    void onlyLocksThatAreBeingRenewedAreRestored() {
        Claim one = claim(1);
        Claim another = claim(2);
        restorations.begin(List.of(one));
        send(one, another);
        assertThat(sent).containsExactly(one);
        restorations.end(List.of(one));
        send(one, another);
        assertThat(sent).containsExactly(one);
    }

    @Test
    void aLockThatIsReleasedDuringItsRenewalIsNotRestored() {
        Claim released = claim(1);
        Claim kept = claim(2);
        restorations.begin(List.of(released, kept));
        restorations.end(List.of(released));
        send(released, kept);
        assertThat(sent).containsExactly(kept);
        send(released);
        assertThat(sent).containsExactly(kept);
    }

    @Test
    void aReleaseWaitsForARestorationThatIsBeingSent() throws Exception {
        Claim claim = claim(1);
        AtomicReference<Thread> releasing = new AtomicReference<>();
        FutureTask<Integer> release = new FutureTask<>(() -> {
            restorations.end(List.of(claim));
            return sent.size();
        });
        restorations.begin(List.of(claim));
        restorations.send(List.of(claim), restored -> {
            Thread thread = new Thread(release, "releases");
            releasing.set(thread);
            thread.start();
            await().atMost(Fixture.PATIENCE).until(() -> thread.getState() == Thread.State.WAITING);
            sent.addAll(restored);
        });
        assertThat(release.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
        releasing.get().join();
    }
}
