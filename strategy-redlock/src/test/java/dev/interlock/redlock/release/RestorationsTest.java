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
import org.junit.jupiter.api.Test;

/** Keys are restored while their locks are renewed, and not once they are released. */
class RestorationsTest {
    private final Restorations restorations = new Restorations();
    private final List<Claim> sent = new ArrayList<>();

    private static Claim claim(long number) {
        return new Claim("mine", new OwnerToken("token"), Fixture.PATIENCE, Fixture.PATIENCE, 1, number, false, true);
    }

    private void restore(Restorations.Permit permit, Claim... claims) {
        permit.restore(List.of(claims), sent::addAll);
    }

    @Test
    void onlyLocksOfTheRenewalAreRestored() {
        Claim one = claim(1);
        Claim another = claim(2);
        restore(restorations.permit(List.of(one)), one, another);
        assertThat(sent).containsExactly(one);
    }

    @Test
    void aLockThatIsReleasedDuringItsRenewalIsNotRestored() {
        Claim released = claim(1);
        Claim kept = claim(2);
        Restorations.Permit permit = restorations.permit(List.of(released, kept));
        restorations.beginRelease(List.of(released));
        restorations.endRelease(List.of(released));
        restore(permit, released, kept);
        assertThat(sent).containsExactly(kept);
        restore(permit, released);
        assertThat(sent).containsExactly(kept);
    }

    @Test
    void aRenewalThatBeginsWhileItsLockIsBeingReleasedRestoresNothing() {
        Claim claim = claim(1);
        restorations.beginRelease(List.of(claim));
        Restorations.Permit permit = restorations.permit(List.of(claim));
        restorations.endRelease(List.of(claim));
        restore(permit, claim);
        assertThat(sent).isEmpty();
    }

    @Test
    void aReleaseTakesThePermitsOfAllRenewalsOfItsLock() {
        Claim claim = claim(1);
        Restorations.Permit ensuring = restorations.permit(List.of(claim));
        try (Restorations.Permit scheduled = restorations.permit(List.of(claim))) {
            restore(scheduled, claim);
        }
        restore(ensuring, claim);
        assertThat(sent).as("the one goes on when the other has ended").hasSize(2);
        Restorations.Permit later = restorations.permit(List.of(claim));
        restorations.beginRelease(List.of(claim));
        restore(ensuring, claim);
        restore(later, claim);
        assertThat(sent).hasSize(2);
    }

    @Test
    void aReleaseWaitsForARestorationThatIsBeingSent() throws Exception {
        Claim claim = claim(1);
        FutureTask<Integer> release = new FutureTask<>(() -> {
            restorations.beginRelease(List.of(claim));
            return sent.size();
        });
        Thread releasing = new Thread(release, "releases");
        restorations.permit(List.of(claim)).restore(List.of(claim), restored -> {
            releasing.start();
            await().atMost(Fixture.PATIENCE).until(() -> releasing.getState() == Thread.State.WAITING);
            sent.addAll(restored);
        });
        assertThat(release.get(Fixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
        releasing.join();
    }
}
