// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static dev.interlock.LockBackendException.Reason.OUTCOME_UNKNOWN;
import static dev.interlock.LockBackendException.Reason.REFUSED;
import static dev.interlock.LockBackendException.Reason.UNREACHABLE;

import dev.interlock.LockBackendException;
import dev.interlock.redis.RedisCommand;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says what went wrong with a server, in words that help and hold no secret. */
public final class Failures {
    private static final int MAX_TEXT = 200;
    private static final int MIN_SECRET = 8;
    private static final Map<String, String> ADVICE = Map.of(
            "OOM", "give it more memory, or let it evict what is not locks",
            "MISCONF", "it cannot save its data: see its log",
            "MOVED", "it is a node of a cluster: give the endpoint as redis-cluster://host:port",
            "ASK", "it is a node of a cluster: give the endpoint as redis-cluster://host:port",
            "NOAUTH", "give the password in the endpoint, as in redis://user:password@host",
            "WRONGPASS", "check user and password of the endpoint",
            "NOPERM", "let the user do this in the server's access control list",
            "WRONGTYPE", "something else uses this key: choose another key prefix");

    private final String server;

    public Failures(String server) {
        this.server = server;
    }

    /** How this server is called in messages. */
    public String server() {
        return server;
    }

    /** The server replied with an error. */
    public ServerErrorException answered(RedisCommand command, ServerError error) {
        String text = tidy(error.text(), command.arguments());
        String advice = ADVICE.get(error.text().split(" ", 2)[0]);
        String said = text + (advice == null ? "" : "; " + advice);
        return error.isPassing()
                ? new ServerErrorException(UNREACHABLE, server + " is not ready for " + command + ": " + said, error)
                : new ServerErrorException(REFUSED, server + " refused " + command + ": " + said, error);
    }

    /** One line of bounded length without any argument, which a server may repeat and cut off anywhere. */
    private static String tidy(String text, List<String> arguments) {
        String tidied = text.replaceFirst(",? with args beginning with.*", "");
        for (String argument : arguments) {
            if (argument.length() >= MIN_SECRET) {
                tidied = tidied.replace(argument, "***");
            }
        }
        tidied = tidied.replaceAll("\\p{Cntrl}+", " ").strip();
        return tidied.length() <= MAX_TEXT ? tidied : tidied.substring(0, MAX_TEXT) + "…";
    }

    /** There is no connection. */
    public LockBackendException noConnection(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return new LockBackendException(
                        REFUSED,
                        server + " shows a certificate that this JVM does not accept (" + root(each)
                                + "): name the host as"
                                + " the certificate does, and add its issuer to the JVM's trust store",
                        cause);
            }
        }
        return new LockBackendException(
                UNREACHABLE,
                "cannot connect to " + server + " (" + root(cause)
                        + "): check that it runs and that the endpoint is right",
                cause);
    }

    /** No connection came about in time. */
    public LockBackendException noConnectionInTime(Deadline deadline) {
        return new LockBackendException(
                UNREACHABLE,
                "no connection to " + server + " within " + deadline.timeout()
                        + ": check that it runs and is not overloaded");
    }

    /** All connections were busy for too long. */
    public LockBackendException noneFree(Deadline deadline) {
        return new LockBackendException(
                UNREACHABLE,
                "no connection to " + server + " became free within " + deadline.timeout()
                        + ": too many threads use it at once, or it answers too slowly");
    }

    /** The connection broke before the command had left. */
    public LockBackendException notSent(RedisCommand command, NotSentException cause) {
        return new LockBackendException(
                UNREACHABLE,
                "the connection to " + server + " broke before " + command + " was sent (" + root(cause) + ")",
                cause);
    }

    /** The connection broke before the reply came. */
    public LockBackendException broken(RedisCommand command, Throwable cause) {
        return new LockBackendException(
                OUTCOME_UNKNOWN,
                "the connection to " + server + " broke before the reply to " + command + " (" + root(cause)
                        + "): it may have been carried out",
                cause);
    }

    /** The reply did not come in time. */
    public LockBackendException late(RedisCommand command, Deadline deadline) {
        return new LockBackendException(
                OUTCOME_UNKNOWN,
                "no reply to " + command + " from " + server + " within " + deadline.timeout()
                        + ": it may have been carried out, or may yet be");
    }

    /** The node is closed. */
    public LockBackendException closed(@Nullable Throwable cause) {
        String message = "the connection to " + server + " was closed by this program";
        return cause == null
                ? new LockBackendException(UNREACHABLE, message)
                : new LockBackendException(UNREACHABLE, message, cause);
    }

    /** What the innermost cause says, which for network failures is the operating system's own word. */
    private static String root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        // Jedis keeps the failures of single addresses aside.
        if (root.getSuppressed().length > 0) {
            return root(root.getSuppressed()[0]);
        }
        String message = root.getMessage();
        return tidy(message == null ? root.getClass().getSimpleName() : message, List.of());
    }
}
