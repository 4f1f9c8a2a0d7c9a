// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.conformance.child.PeerJvm;
import dev.interlock.conformance.child.PosixSignals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CalmTest {
    private static final int STALLS = 4;
    private static final int LOOKS = 100;

    /** Tells, each time it is asked, whether it has stood still since it was asked before. */
    static final class Child {
        private Child() {}

        public static void main(String[] args) throws IOException {
            BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            Calm calm = new Calm();
            while (asked.readLine() != null) {
                boolean broken = calm.isBroken();
                calm = new Calm();
                System.out.println(broken);
            }
        }
    }

    private PeerJvm child;
    private OutputStream questions;
    private BufferedReader answers;

    @BeforeEach
    void start() throws IOException {
        child = PeerJvm.start(Child.class.getName());
        questions = child.process().getOutputStream();
        answers = new BufferedReader(new InputStreamReader(child.process().getInputStream(), StandardCharsets.UTF_8));
    }

    @AfterEach
    void end() throws InterruptedException {
        child.process().destroyForcibly().waitFor(1, TimeUnit.MINUTES);
    }

    private void ask() throws IOException {
        questions.write('\n');
        questions.flush();
    }

    private boolean wasCalm() throws IOException {
        ask();
        return answers.readLine().equals("false");
    }

    @Test
    void whoeverAsksAtOnceAfterAStallIsToldOfIt() throws IOException {
        assumeTrue(PosixSignals.available());
        wasCalm();
        for (int i = 0; i < STALLS; i++) {
            PosixSignals.send("STOP", child.process().pid());
            Waits.pass(Scale.RENEWED_LEASE.dividedBy(4));
            // The child reads this when it goes on, before or after its other threads run.
            ask();
            PosixSignals.send("CONT", child.process().pid());
            assertThat(answers.readLine()).as(child.errors()).isEqualTo("true");
        }
    }

    @Test
    void withoutAStallItIsCalm() throws IOException {
        boolean calm = false;
        for (int i = 0; i < LOOKS && !calm; i++) {
            calm = wasCalm();
        }
        assertThat(calm).isTrue();
    }
}
