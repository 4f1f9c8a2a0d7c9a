// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * Loads all classes of Interlock anew, this simulation included, with those of a mutant among them. Its name is that of
 * the mutant, by which the simulation that it loads knows what it runs.
 */
final class MutantLoader extends ClassLoader {
    private static final String OURS = "dev.interlock.";

    private final Map<String, byte[]> mutated;

    MutantLoader(CodeMutant mutant) {
        super(mutant.name(), MutantLoader.class.getClassLoader());
        mutated = MutantCompiler.compile(mutant);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = mutated.get(name);
        if (bytes == null) {
            bytes = asBuilt(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] asBuilt(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
