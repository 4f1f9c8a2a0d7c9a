// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Releases all locks when the application ends: after web servers, listener containers and schedulers have stopped, and
 * before any bean is destroyed. A context that is merely stopped or paused keeps its locks, since a factory cannot be
 * opened again.
 */
final class LockFactoryLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {
    /**
     * The phase: below those of web servers, listener containers and schedulers, which stop before, and above that of
     * connection factories, which is zero, so that these stop afterwards.
     */
    static final int PHASE = 1_024;

    private final LockFactories factories;
    private final ApplicationContext context;
    private volatile boolean running;
    private volatile boolean closing;

    LockFactoryLifecycle(LockFactories factories, ApplicationContext context) {
        this.factories = factories;
        this.context = context;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext().equals(context)) {
            closing = true;
        }
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        if (closing) {
            factories.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }
}
