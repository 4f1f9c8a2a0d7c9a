// SPDX-License-Identifier: Apache-2.0
package dev.interlock.simulation.mutants.code;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles the source of a mutant in memory, against the class path of this program. */
final class MutantCompiler {
    private static final List<String> OPTIONS =
            List.of("-proc:none", "-nowarn", "-Xlint:none", "-classpath", System.getProperty("java.class.path"));

    private MutantCompiler() {}

    /** Returns the class of a mutant and its nested classes, by their names. */
    static Map<String, byte[]> compile(CodeMutant mutant) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("mutant " + mutant.name() + " must be compiled: run this with a JDK");
        }
        StringWriter messages = new StringWriter();
        try (ClassesInMemory files = new ClassesInMemory(compiler.getStandardFileManager(null, null, null))) {
            boolean compiled = compiler.getTask(messages, files, null, OPTIONS, null, List.of(new Source(mutant)))
                    .call();
            if (!compiled) {
                throw new IllegalStateException("mutant " + mutant.name() + " does not compile: " + messages);
            }
            return files.classes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot compile mutant " + mutant.name(), e);
        }
    }

    private static URI uri(String className, JavaFileObject.Kind kind) {
        return URI.create("memory:///" + className.replace('.', '/') + kind.extension);
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(CodeMutant mutant) {
            super(uri(mutant.className(), Kind.SOURCE), Kind.SOURCE);
            text = mutant.source();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class ClassFile extends SimpleJavaFileObject {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        ClassFile(String className) {
            super(uri(className, Kind.CLASS), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class ClassesInMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ClassFile> written = new HashMap<>();

        ClassesInMemory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            ClassFile file = new ClassFile(className);
            written.put(className, file);
            return file;
        }

        Map<String, byte[]> classes() {
            return written.entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, entry -> entry.getValue().bytes.toByteArray()));
        }
    }
}
