// SPDX-License-Identifier: Apache-2.0
package dev.interlock.benchmarks.scenarios.fresh;

import dev.interlock.benchmarks.candidates.LockClient;
import dev.interlock.benchmarks.candidates.Opener;
import dev.interlock.benchmarks.candidates.Terms;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/** The program that takes the first lock of a JVM. Uses no library but the candidate's. */
public final class FirstLockMain {
    private static final String LIST = ",";

    private FirstLockMain() {}

    public static List<String> arguments(Opener opener, List<String> endpoints, Map<String, String> options) {
        List<String> arguments = new ArrayList<>();
        arguments.add(opener.getClass().getName());
        arguments.add(String.join(LIST, endpoints));
        options.forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments;
    }

    public static void main(String[] arguments) throws Exception {
        Constructor<?> constructor = Class.forName(arguments[0]).getDeclaredConstructor();
        List<URI> endpoints = new ArrayList<>();
        for (String endpoint : arguments[1].split(LIST, -1)) {
            endpoints.add(URI.create(endpoint));
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 2; i < arguments.length; i++) {
            String[] option = arguments[i].split("=", 2);
            options.put(option[0], option[1]);
        }
        try (LockClient client = ((Opener) constructor.newInstance()).open(endpoints, Terms.SHORT, options)) {
            Lock lock = client.lock("first");
            lock.lock();
            System.out.println(FreshJvm.DONE);
            lock.unlock();
        }
    }
}
