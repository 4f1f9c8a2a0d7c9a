// SPDX-License-Identifier: Apache-2.0
package com.example.counter;

import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

/** Counts as far as its argument says. */
@QuarkusMain
public class CounterApplication implements QuarkusApplication {
    private final Counter counter;

    CounterApplication(Counter counter) {
        this.counter = counter;
    }

    @Override
    public int run(String... args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            counter.increment();
        }
        return 0;
    }
}
