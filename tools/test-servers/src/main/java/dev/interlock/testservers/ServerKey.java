// SPDX-License-Identifier: Apache-2.0
package dev.interlock.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A key with a certificate for {@code localhost} that it has signed itself, in a key store of type PKCS #12. It proves
 * nothing to anybody, and is meant for tests of TLS. Safe for use by multiple threads.
 */
public final class ServerKey {
    /** The password of the key store and of the key. */
    public static final String PASSWORD = "changeit";

    private final Path file;
    private final String name;
    private final KeyStore store;

    private ServerKey(Path file, String name, KeyStore store) {
        this.file = file;
        this.name = name;
        this.store = store;
    }

    /**
     * Makes a key with the {@code keytool} of the running JVM.
     *
     * @param directory where to write the key store
     * @param name the name of the key, of its certificate's subject, and of the file without its ending
     * @param algorithm the algorithm of the key, such as {@code EC} or {@code RSA}
     * @return the key
     * @throws IOException if the JVM has no keytool, or the key store that it has written cannot be read
     * @throws RedisServerException if keytool makes no key, as in a directory that it must not write to; the message is
     *     what keytool says
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public static ServerKey make(Path directory, String name, String algorithm)
            throws IOException, InterruptedException {
        Path file = directory.resolve(name + ".p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process process = new ProcessBuilder(List.of(
                        keytool.toString(),
                        // It ends before it would earn what the optimizing compiler costs.
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-XX:+UseSerialGC",
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        algorithm,
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new RedisServerException("keytool made no key: " + said);
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            return new ServerKey(file, name, store);
        } catch (GeneralSecurityException e) {
            throw new IOException("the key store that keytool has written cannot be read", e);
        }
    }

    /**
     * Returns the file of the key store, which can be a client's trust store as well.
     *
     * @return the file
     */
    public Path file() {
        return file;
    }

    /**
     * Returns the certificate.
     *
     * @return the certificate
     * @throws GeneralSecurityException if the key store does not give it out
     */
    public X509Certificate certificate() throws GeneralSecurityException {
        return (X509Certificate) store.getCertificate(name);
    }

    /**
     * Returns the private key.
     *
     * @return the private key
     * @throws GeneralSecurityException if the key store does not give it out
     */
    public PrivateKey privateKey() throws GeneralSecurityException {
        return (PrivateKey) store.getKey(name, PASSWORD.toCharArray());
    }

    /**
     * Returns a context for a server that shows the certificate, and asks its clients for none.
     *
     * @return a new context
     * @throws GeneralSecurityException if the JVM has no TLS
     */
    public SSLContext serverContext() throws GeneralSecurityException {
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    /** Returns the name, without the password. */
    @Override
    public String toString() {
        return "ServerKey " + name;
    }
}
