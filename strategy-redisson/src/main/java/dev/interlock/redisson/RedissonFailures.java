// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redisson;

import static dev.interlock.LockBackendException.Reason.OUTCOME_UNKNOWN;
import static dev.interlock.LockBackendException.Reason.REFUSED;
import static dev.interlock.LockBackendException.Reason.UNREACHABLE;

import dev.interlock.LockBackendException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisReadonlyException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisResponseTimeoutException;
import org.redisson.client.RedisRetryException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;

/**
 * Creates the exceptions for failures. Messages say what to do, and hold no secret. Redisson's own exceptions are not
 * passed on: their messages show the arguments of the request, including owner tokens.
 */
final class RedissonFailures {
    private static final int MAX_TEXT = 200;

    /** The text that Redisson appends to the server's message. */
    private static final String REDISSONS_WORDS = "(?s)\\.? ?\\bchannel: .*";

    private static final Map<String, String> ADVICE = Map.of(
            "NOAUTH", "give the password in the endpoint, as in redis://user:password@host",
            "WRONGPASS", "check user and password of the endpoint",
            "NOPERM", "let the user do this in the server's access control list",
            "CROSSSLOT",
                    "name the cluster as redis-cluster://host:port, or in the lock's name put braces around"
                            + " something that decides about the slot",
            "WRONGTYPE", "something else uses this key: choose another name or key prefix");

    private final String servers;

    /** A server in cluster mode has refused a request about keys of several slots. Nothing was carried out. */
    static final class CrossSlotException extends LockBackendException {
        private static final long serialVersionUID = 1L;

        CrossSlotException(String message) {
            super(REFUSED, message);
        }
    }

    RedissonFailures(String servers) {
        this.servers = servers;
    }

    /** Returns the exception for a request that failed. */
    LockBackendException of(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof LockBackendException backend) {
            return backend;
        }
        if (cause instanceof RedissonShutdownException) {
            return new LockBackendException(UNREACHABLE, "the Redisson client of " + servers + " is shut down");
        }
        if (cause instanceof RedisResponseTimeoutException) {
            return new LockBackendException(
                    OUTCOME_UNKNOWN,
                    "no reply from " + servers + " in time: the request may have been carried out, or may yet be");
        }
        if (cause instanceof RedisReconnectedException || cause instanceof WriteRedisConnectionException) {
            return new LockBackendException(
                    OUTCOME_UNKNOWN,
                    "the connection to " + servers + " broke before the reply: the request may have been carried out");
        }
        if (cause instanceof RedisTimeoutException
                || cause instanceof RedisConnectionException
                || isNoReply(cause)
                || cause instanceof RedisNodeNotFoundException) {
            return new LockBackendException(
                    UNREACHABLE,
                    "no connection to " + servers + " (" + rootText(cause)
                            + "): check that it runs, is not overloaded, and that the endpoints are right");
        }
        if (cause instanceof RedisRetryException
                || cause instanceof RedisReadonlyException
                || cause instanceof RedisNoScriptException) {
            return new LockBackendException(UNREACHABLE, servers + " is not ready: " + text(cause));
        }
        if (cause instanceof RedisException) {
            return refused(cause);
        }
        return new LockBackendException(
                OUTCOME_UNKNOWN,
                "the request to " + servers + " failed (" + cause.getClass().getSimpleName()
                        + "): it may have been carried out");
    }

    /** Returns whether Redisson had no connection yet: an error reply of a server has no cause. */
    private static boolean isNoReply(Throwable failure) {
        return failure.getClass() == RedisException.class && failure.getCause() != null;
    }

    private LockBackendException refused(Throwable cause) {
        String text = text(cause);
        String code = text.split("\\W", 2)[0];
        String advice = ADVICE.get(code);
        String message = servers + " refused the request: " + text + (advice == null ? "" : "; " + advice);
        return code.equals("CROSSSLOT") ? new CrossSlotException(message) : new LockBackendException(REFUSED, message);
    }

    /** The client could not be connected. */
    LockBackendException notConnected(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof LockBackendException backend) {
            return backend;
        }
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return new LockBackendException(
                        REFUSED,
                        servers + " shows a certificate that this JVM does not accept (" + rootText(each)
                                + "): name the host as the certificate does, and add its issuer to the JVM's trust"
                                + " store");
            }
            if (each instanceof RedisException && ADVICE.containsKey(text(each).split("\\W", 2)[0])) {
                return refused(each);
            }
        }
        return new LockBackendException(
                UNREACHABLE,
                "cannot connect to " + servers + " (" + rootText(cause)
                        + "): check that it runs and that the endpoints are right");
    }

    /** No connection was established in time. */
    LockBackendException notConnectedWithin(Duration timeout) {
        return new LockBackendException(
                UNREACHABLE,
                "no connection to " + servers + " within " + timeout + ": check that it runs and is not overloaded");
    }

    /** The reply did not come in time. */
    LockBackendException late(Duration timeout) {
        return new LockBackendException(
                OUTCOME_UNKNOWN,
                "no reply from " + servers + " within " + timeout
                        + ": the request may have been carried out, or may yet be");
    }

    /** No replica has acknowledged the write. */
    LockBackendException notAcknowledged(int replicas, Duration patience) {
        return new LockBackendException(
                OUTCOME_UNKNOWN,
                "none of the " + replicas + " replicas of " + servers + " acknowledged the write within " + patience
                        + ": check the replication, or raise slavesSyncTimeout of the Redisson client");
    }

    /** It is unknown whether a replica has acknowledged the write. */
    LockBackendException acknowledgementUnknown(Throwable failure) {
        return new LockBackendException(
                OUTCOME_UNKNOWN,
                "nobody can say whether a replica has acknowledged the write: "
                        + of(failure).getMessage());
    }

    /** Returns whether the server knows no such command. */
    static boolean isUnknownCommand(Throwable failure) {
        return text(unwrapped(failure)).toLowerCase(Locale.ROOT).contains("unknown command");
    }

    /** The factory is closed. */
    LockBackendException closed() {
        return new LockBackendException(UNREACHABLE, "the connection to " + servers + " was closed by this program");
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Returns the message of the innermost cause, which for network failures is that of the operating system. */
    private static String rootText(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof RedisTimeoutException ? "time-out" : text(root);
    }

    /** Returns the server's message as one line of bounded length, without Redisson's additions. */
    private static String text(Throwable failure) {
        String message = failure.getMessage();
        String text = (message == null ? failure.getClass().getSimpleName() : message)
                .replaceFirst(REDISSONS_WORDS, "")
                .replaceFirst(",? with args beginning with.*", "")
                .replaceAll("\\p{Cntrl}+", " ")
                .strip();
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }
}
