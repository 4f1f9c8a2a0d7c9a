// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import dev.interlock.DistributedLockFactory;
import dev.interlock.spi.Capability;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Makes Spring intercept {@link Locked @Locked} methods. Spring Boot has one by itself; other applications declare a
 * bean with the role {@code ROLE_INFRASTRUCTURE}, beside an auto-proxy creator as {@code @EnableAspectJAutoProxy}
 * brings it.
 */
public final class LockedAdvisor extends AbstractPointcutAdvisor implements SmartInitializingSingleton {
    /**
     * The default position of locks among other advice: outside of transactions and caches, which come last.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1_000;

    private static final long serialVersionUID = 1L;
    private static final String TRANSACTION_ADVISOR =
            "org.springframework.transaction.config.internalTransactionAdvisor";
    private static final String TRANSACTIONAL = "org.springframework.transaction.annotation.Transactional";

    private final transient ConfigurableListableBeanFactory beanFactory;
    private final transient LockedMethods methods;
    private final transient LockedInterceptor interceptor;
    private final transient Map<String, DistributedLockFactory> factories = new ConcurrentHashMap<>();
    private volatile boolean started;

    /**
     * Creates an advisor.
     *
     * @param beanFactory has the factories of locks, the beans that names of locks refer to, and values for
     *     placeholders
     * @param defaultWait how long methods wait whose annotation sets no time
     * @param order the position of the locks among other advice; a smaller number is further outside
     */
    public LockedAdvisor(ConfigurableListableBeanFactory beanFactory, Duration defaultWait, int order) {
        this.beanFactory = Objects.requireNonNull(beanFactory, "beanFactory");
        LockedMethodReader reader = new LockedMethodReader(
                text -> Objects.requireNonNullElse(beanFactory.resolveEmbeddedValue(text), ""),
                Objects.requireNonNull(defaultWait, "defaultWait"));
        this.methods = new LockedMethods(reader, this::onFound);
        this.interceptor = new LockedInterceptor(methods, this::factory, new BeanFactoryResolver(beanFactory));
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return methods;
    }

    @Override
    public Advice getAdvice() {
        return interceptor;
    }

    private DistributedLockFactory factory(String name) {
        return factories.computeIfAbsent(
                name,
                key -> key.isEmpty()
                        ? beanFactory.getBean(DistributedLockFactory.class)
                        : beanFactory.getBean(key, DistributedLockFactory.class));
    }

    /** Checks what can be checked only when all beans are there. */
    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        methods.found().forEach(this::check);
    }

    private void onFound(LockedMethod method) {
        if (started) {
            check(method);
        }
    }

    private void check(LockedMethod method) {
        for (int i = 0; i < method.operations().size(); i++) {
            LockedOperation operation = method.operations().get(i);
            DistributedLockFactory factory = requireFactory(method, operation.factory());
            if (method.needsToken(i) && !factory.profile().supports(Capability.FENCING)) {
                throw new InvalidLockedMethodException(
                        method.method(),
                        "it wants a fencing token, and the strategy " + factory.strategy() + " draws none",
                        "Make the parameter an OptionalLong, or choose a strategy and options with fencing tokens.");
            }
            operation.lease().ifPresent(lease -> requireLease(method, factory, lease));
        }
        requireOrder(method);
    }

    private DistributedLockFactory requireFactory(LockedMethod method, String name) {
        String known = "The beans of that type are "
                + String.join(", ", beanFactory.getBeanNamesForType(DistributedLockFactory.class)) + ".";
        try {
            return factory(name);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new InvalidLockedMethodException(
                    method.method(),
                    "there are several DistributedLockFactory beans, and it names none of them",
                    "Name one, as in @Locked(name = …, factory = …), or make one of them primary. " + known);
        } catch (NoSuchBeanDefinitionException e) {
            throw new InvalidLockedMethodException(
                    method.method(),
                    name.isEmpty()
                            ? "there is no DistributedLockFactory bean"
                            : "there is no DistributedLockFactory bean named \"" + name + "\"",
                    name.isEmpty()
                            ? "Declare one, or see why the auto-configuration made none (start with --debug)."
                            : "Declare interlock.factories." + name + ", or correct the name. " + known);
        }
    }

    private static void requireLease(LockedMethod method, DistributedLockFactory factory, Duration lease) {
        try {
            factory.getLock("a lock that is not acquired").withLease(lease);
        } catch (IllegalArgumentException e) {
            throw new InvalidLockedMethodException(
                    method.method(),
                    String.valueOf(e.getMessage()),
                    "Shorten the lease of the annotation, or lengthen max-hold.");
        }
    }

    /** Fails if a transaction would begin before the lock is acquired, and end after it was released. */
    private void requireOrder(LockedMethod method) {
        if (!beanFactory.containsBean(TRANSACTION_ADVISOR)
                || !(beanFactory.getBean(TRANSACTION_ADVISOR) instanceof Ordered transactions)
                || transactions.getOrder() > getOrder()) {
            return;
        }
        if (isTransactional(method.method()) || isTransactional(method.method().getDeclaringClass())) {
            throw new InvalidLockedMethodException(
                    method.method(),
                    "the order of transactions, " + transactions.getOrder()
                            + ", puts its transaction outside of its lock (" + getOrder()
                            + "), so that the lock is released before the commit",
                    "Set interlock.locked.order to less than " + transactions.getOrder()
                            + ", or raise the order of @EnableTransactionManagement.");
        }
    }

    private static boolean isTransactional(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(TRANSACTIONAL);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
