// SPDX-License-Identifier: Apache-2.0
package dev.interlock.conformance.internal.peer;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import dev.interlock.LockConfig;
import dev.interlock.spi.LockStrategyProvider;
import dev.interlock.spi.StrategyOption;
import dev.interlock.spi.StrategyProfile;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;

/** Has one lock, whose calls a subclass answers. */
public abstract class LockStub implements LockStrategyProvider {
    /** Answers a call of the lock. */
    abstract Object answer(String method);

    @Override
    public String name() {
        return "stub";
    }

    @Override
    public StrategyProfile profile() {
        return new StrategyProfile("is not there", Set.of(), Set.of());
    }

    @Override
    public List<StrategyOption> options() {
        return List.of();
    }

    @Override
    public DistributedLockFactory newFactory(LockConfig config) {
        DistributedLock lock = proxy(DistributedLock.class, (self, method, arguments) -> answer(method.getName()));
        return proxy(
                DistributedLockFactory.class,
                (self, method, arguments) -> method.getName().equals("getLock") ? lock : null);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
