// SPDX-License-Identifier: Apache-2.0
package dev.interlock.tools.conformance;

import dev.interlock.conformance.DistributedLockConformance;
import dev.interlock.conformance.harness.LockHarness;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.engine.support.store.Namespace;
import org.junit.platform.engine.support.store.NamespacedHierarchicalStore;

/** The conformance kit on the harnesses that its launcher session holds. */
@ExtendWith(Kit.Harnesses.class)
final class Kit extends DistributedLockConformance {
    private final Supplier<LockHarness> harnesses;

    Kit(Supplier<LockHarness> harnesses) {
        this.harnesses = harnesses;
    }

    @Override
    protected LockHarness harness() {
        return harnesses.get();
    }

    /** Hands the harnesses of a session to the tests in it, which the engine makes. */
    static final class Harnesses implements ParameterResolver {
        static void put(NamespacedHierarchicalStore<Namespace> session, Supplier<?> harnesses) {
            session.put(Namespace.create(Kit.class), Supplier.class, harnesses);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Supplier.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return Objects.requireNonNull(
                    context.getStore(StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.create(Kit.class))
                            .get(Supplier.class),
                    "harnesses");
        }
    }
}
