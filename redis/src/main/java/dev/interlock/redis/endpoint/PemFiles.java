// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.endpoint;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Creates a TLS context from PEM files: certificates of issuers, a client certificate, and its key. */
final class PemFiles {
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

    /** The kinds of keys, each with an algorithm to sign with. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "Ed25519", "Ed25519");

    private static final String CONVERT = "openssl pkcs8 -topk8 -nocrypt -in key.pem";

    private PemFiles() {}

    /**
     * Creates the context.
     *
     * @param issuers whose certificates to accept, or {@code null} for those that the JVM accepts
     * @param certificate the client certificate and those that lead to its issuer, or {@code null} for none
     * @param key the private key of the client certificate, or {@code null} for none
     * @throws IllegalArgumentException if a file is missing, is not what it should be, or does not belong to the others
     */
    static SSLContext context(@Nullable Path issuers, @Nullable Path certificate, @Nullable Path key) {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(
                    "a client certificate needs its key: set both tls-certificate and tls-key, or neither");
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    certificate == null || key == null ? null : keyManagers(certificate, key),
                    issuers == null ? null : trustManagers(issuers),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("this JVM cannot use the given certificates: " + e.getMessage(), e);
        }
    }

    private static TrustManager[] trustManagers(Path issuers) throws GeneralSecurityException {
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate issuer : certificates(issuers)) {
            store.setCertificateEntry("issuer-" + number++, issuer);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] keyManagers(Path certificate, Path key) throws GeneralSecurityException {
        List<? extends Certificate> chain = certificates(certificate);
        PrivateKey secret = privateKey(key);
        if (!belongTogether(chain.get(0).getPublicKey(), secret)) {
            throw new IllegalArgumentException("the key in " + key + " is not that of the first certificate in "
                    + certificate + ": give the key with which the certificate was requested");
        }
        KeyStore store = emptyStore();
        store.setKeyEntry("client", secret, new char[0], chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new IllegalStateException("nothing is read", e);
        }
        return store;
    }

    private static List<? extends Certificate> certificates(Path file) throws GeneralSecurityException {
        if (find(read(file), "CERTIFICATE").isEmpty()) {
            throw new IllegalArgumentException(
                    file + " holds no certificate in PEM format: it must have lines -----BEGIN CERTIFICATE-----");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(file + " holds a certificate that cannot be read: " + e.getMessage(), e);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static PrivateKey privateKey(Path file) throws GeneralSecurityException {
        String text = read(file);
        Optional<String> base64 = find(text, "PRIVATE KEY");
        if (base64.isEmpty()) {
            throw new IllegalArgumentException(
                    find(text, "ENCRYPTED PRIVATE KEY").isPresent()
                            ? file + " holds a key that is encrypted, which is not supported: decrypt it with "
                                    + CONVERT
                            : file + " holds no private key in PKCS#8 format, which begins with"
                                    + " -----BEGIN PRIVATE KEY-----: convert it with " + CONVERT);
        }
        PKCS8EncodedKeySpec encoded;
        try {
            encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64.get()));
        } catch (IllegalArgumentException e) {
            // The exception quotes what it cannot decode, so it is not passed on as a cause.
            throw new IllegalArgumentException(file + " holds a private key that is not encoded in Base64");
        }
        for (String algorithm : SIGNATURES.keySet()) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // The key is of another kind.
            }
        }
        throw new IllegalArgumentException(
                file + " holds a private key that this JVM cannot read: use an RSA, EC or Ed25519 key");
    }

    private static boolean belongTogether(PublicKey open, PrivateKey secret) throws GeneralSecurityException {
        String algorithm = SIGNATURES.get(secret.getAlgorithm().startsWith("Ed") ? "Ed25519" : secret.getAlgorithm());
        byte[] text = "interlock".getBytes(StandardCharsets.UTF_8);
        try {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(secret);
            signing.update(text);
            byte[] signature = signing.sign();
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(open);
            verifying.update(text);
            return verifying.verify(signature);
        } catch (java.security.InvalidKeyException | java.security.SignatureException e) {
            return false;
        }
    }

    private static Optional<String> find(String text, String label) {
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            if (matcher.group(1).equals(label)) {
                return Optional.of(matcher.group(2));
            }
        }
        return Optional.empty();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("the file " + file + " does not exist", e);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static IllegalArgumentException unreadable(Path file, IOException cause) {
        return new IllegalArgumentException("the file " + file + " cannot be read: " + cause, cause);
    }
}
