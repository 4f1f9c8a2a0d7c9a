// SPDX-License-Identifier: Apache-2.0
package dev.interlock.engine.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The threads of the real environment. */
class SystemEnvironmentTest {
    @Test
    @Tag("both-legs")
    void aThreadThatWaitsIsVirtualWhereTheRuntimeHasVirtualThreads() throws Exception {
        CompletableFuture<Thread> ranOn = new CompletableFuture<>();
        Thread thread = Environment.system().newWaitingThread("waits", () -> ranOn.complete(Thread.currentThread()));
        assertThat(thread.getState()).isEqualTo(Thread.State.NEW);
        assertThat(thread.getName()).isEqualTo("waits");
        assertThat(thread.isDaemon()).isTrue();
        assertThat(isVirtual(thread)).isEqualTo(Runtime.version().feature() >= 21);
        thread.start();
        assertThat(ranOn.get(30, TimeUnit.SECONDS)).isSameAs(thread);
    }

    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        return Runtime.version().feature() >= 21
                && (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    }
}
