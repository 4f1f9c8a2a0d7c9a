// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/** Outside of transactions (which have 200), so that they are committed before the lock is released. */
@Locked
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
class LockedInterceptor {
    private final DistributedLockFactory locks;

    @Inject
    LockedInterceptor(DistributedLockFactory locks) {
        this.locks = locks;
    }

    @AroundInvoke
    Object holdLock(InvocationContext call) throws Exception {
        DistributedLock lock =
                locks.getLock(call.getInterceptorBinding(Locked.class).value());
        lock.lock();
        try {
            return call.proceed();
        } finally {
            lock.unlock();
        }
    }
}
