// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells what to do if a factory of locks cannot be made. */
final class LockFactoryFailureAnalyzer extends AbstractFailureAnalyzer<LockFactoryCreationException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockFactoryCreationException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
