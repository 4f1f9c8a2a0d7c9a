// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedLockFactory;
import io.micronaut.aop.InterceptPhase;
import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;

/** Outside of transactions, so that they are committed before the lock is released. */
@InterceptorBean(Locked.class)
class LockedInterceptor implements MethodInterceptor<Object, Object> {
    private final DistributedLockFactory locks;

    LockedInterceptor(DistributedLockFactory locks) {
        this.locks = locks;
    }

    @Override
    public int getOrder() {
        return InterceptPhase.TRANSACTION.getPosition() - 10;
    }

    @Override
    public Object intercept(MethodInvocationContext<Object, Object> call) {
        DistributedLock lock = locks.getLock(call.stringValue(Locked.class).orElseThrow());
        lock.lock();
        try {
            return call.proceed();
        } finally {
            lock.unlock();
        }
    }
}
