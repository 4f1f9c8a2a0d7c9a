// SPDX-License-Identifier: Apache-2.0
package dev.interlock.redis.client;

import static dev.interlock.LockBackendException.Reason.OUTCOME_UNKNOWN;
import static dev.interlock.LockBackendException.Reason.REFUSED;
import static dev.interlock.LockBackendException.Reason.UNREACHABLE;

import dev.interlock.LockBackendException;
import dev.interlock.engine.environment.Environment;
import dev.interlock.redis.Acknowledgement;
import dev.interlock.redis.RedisCommand;
import dev.interlock.redis.RedisLink;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions for failures of one server. Messages say what to do, and hold no secret. */
public final class Failures {
    private static final int MAX_TEXT = 200;
    private static final String WANTS_CERTIFICATE =
            ".*(certificate_required|bad_certificate|unknown_ca|decrypt_error).*";
    private static final int MIN_SECRET = 8;
    private static final Map<String, String> ADVICE = Map.ofEntries(
            Map.entry("OOM", "give it more memory, or let it evict what is not locks"),
            Map.entry("MISCONF", "it cannot save its data: see its log"),
            Map.entry("MOVED", "it is a node of a cluster: give the endpoint as redis-cluster://host:port"),
            Map.entry("ASK", "it is a node of a cluster: give the endpoint as redis-cluster://host:port"),
            Map.entry("TRYAGAIN", "it is moving a slot to another node of the cluster, which passes"),
            Map.entry("CLUSTERDOWN", "no node of its cluster serves this slot now: see CLUSTER INFO there"),
            Map.entry("MASTERDOWN", "it is a replica that has lost its primary"),
            Map.entry("READONLY", "it is a replica: give the address of the primary, unless a failover is going on"),
            Map.entry("NOREPLICAS", "its min-replicas-to-write asks for more replicas than follow it now"),
            Map.entry("LOADING", "it has just started, and is reading its data"),
            Map.entry("BUSY", "a script keeps it from everything else: see SLOWLOG, or end it by SCRIPT KILL"),
            Map.entry("NOAUTH", "give the password in the endpoint, as in redis://user:password@host"),
            Map.entry("WRONGPASS", "check user and password of the endpoint"),
            Map.entry("NOPERM", "let the user do this in the server's access control list"),
            Map.entry("WRONGTYPE", "something else uses this key: choose another key prefix"));

    private final Environment env;
    private final String server;

    public Failures(Environment env, String server) {
        this.env = env;
        this.server = server;
    }

    /** Returns the name of this server in messages. */
    public String server() {
        return server;
    }

    /** The server replied with an error. */
    public ServerErrorException answered(RedisCommand command, ServerError error) {
        String text = tidy(error.text(), command.arguments());
        String advice = command.name().equals("WAITAOF") && error.isUnknownCommand()
                ? "it needs Redis 7.2 or newer, or Valkey; older ones can acknowledge by replicas only"
                : ADVICE.get(error.text().split(" ", 2)[0]);
        String said = text + (advice == null ? "" : "; " + advice);
        return error.isPassing()
                ? new ServerErrorException(UNREACHABLE, server + " is not ready for " + command + ": " + said, error)
                : new ServerErrorException(REFUSED, server + " refused " + command + ": " + said, error);
    }

    /** The same, as the reply over a connection. */
    public RedisLink.Reply.Failed reply(RedisCommand command, ServerError error) {
        return new RedisLink.Reply.Failed(answered(command, error), !error.isAboutServer());
    }

    /**
     * Returns a server's message as one line of bounded length, without the arguments of the command, which a server
     * may quote.
     */
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
                        server + " shows a certificate that is not accepted (" + root(each)
                                + "): name the host as the certificate does, and name a file with its issuer in the"
                                + " option tls-ca, or add that to the JVM's trust store",
                        cause);
            }
            if (each instanceof SSLException
                    && String.valueOf(each.getMessage()).matches(WANTS_CERTIFICATE)) {
                return new LockBackendException(
                        REFUSED,
                        server + " does not accept this client's certificate, or wants one (" + root(each)
                                + "): see the options tls-certificate and tls-key",
                        cause);
            }
        }
        return new LockBackendException(
                UNREACHABLE,
                "cannot connect to " + server + " (" + root(cause)
                        + "): check that it runs and that the endpoint is right",
                cause);
    }

    /** No connection was established in time. */
    public LockBackendException noConnectionInTime(Deadline deadline) {
        return new LockBackendException(
                UNREACHABLE,
                "no connection to " + server + " within " + deadline.timeout()
                        + ": check that it runs and is not overloaded" + Scheduling.excuse(env));
    }

    /** All connections were busy for too long. */
    public LockBackendException noneFree(Deadline deadline) {
        return new LockBackendException(
                UNREACHABLE,
                "no connection to " + server + " became free within " + deadline.timeout()
                        + ": too many threads use it at once, or it answers too slowly");
    }

    /** The application's supplier of credentials failed. */
    LockBackendException noCredentials(RuntimeException cause) {
        return new LockBackendException(
                UNREACHABLE,
                "there are no credentials for " + server + ": their supplier failed with "
                        + cause.getClass().getName(),
                cause);
    }

    /**
     * Returns the failure if too few replicas have acknowledged a write.
     *
     * @param copies the reply to the wait: the number of replicas, behind the number of disks of the server itself
     *     where one was asked for
     */
    public Optional<LockBackendException> shortfall(
            RedisCommand command, Acknowledgement wanted, @Nullable Object copies) {
        boolean local = true;
        Object replicas = copies;
        if (copies instanceof List<?> both && both.size() == 2) {
            local = Long.valueOf(1).equals(both.get(0));
            replicas = both.get(1);
        }
        long enough = replicas instanceof Long number ? number : 0;
        if (local && enough >= wanted.replicas()) {
            return Optional.empty();
        }
        String what = local
                ? enough + " of " + wanted.replicas() + " replicas of " + server + " acknowledged " + command
                        + " in time: see INFO replication there, and bring back or add replicas, or ask for fewer"
                : server + " did not write " + command
                        + " to its disk in time: set its appendfsync to always, or allow a longer command time-out";
        return Optional.of(new LockBackendException(UNREACHABLE, what));
    }

    /** The connection broke before the command was sent. */
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
                        + ": it may have been carried out, or may yet be" + Scheduling.excuse(env));
    }

    /** Other clients changed the keys of a transaction each time that it was tried. It was not carried out. */
    LockBackendException changedTooOften(Deadline deadline) {
        return new LockBackendException(
                UNREACHABLE,
                "other clients have changed the keys of a transaction on " + server + " again and again for "
                        + deadline.timeout());
    }

    /** The node is closed. */
    public LockBackendException closed(@Nullable Throwable cause) {
        String message = "the connection to " + server + " was closed by this program";
        return cause == null
                ? new LockBackendException(UNREACHABLE, message)
                : new LockBackendException(UNREACHABLE, message, cause);
    }

    /** Returns the message of the innermost cause, which for network failures is that of the operating system. */
    private static String root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        // Jedis keeps the failures of single addresses as suppressed exceptions.
        if (root.getSuppressed().length > 0) {
            return root(root.getSuppressed()[0]);
        }
        String message = root.getMessage();
        return tidy(message == null ? root.getClass().getSimpleName() : message, List.of());
    }
}
