------------------------------- MODULE Lease -------------------------------
(****************************************************************************)
(* One lease on one server, and what a client may believe of it by its own  *)
(* clocks: a monotonic clock, which stands still while the machine is       *)
(* suspended, and a wall clock, which may be set.  Requests and replies     *)
(* take any time, and overtake each other.  What each part stands for, and  *)
(* what is left out, is said in ../README.md.  Times are relative: how many *)
(* ticks are left, by the clock that counts them.                           *)
(****************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Clients,
    Lease,          \* ticks of the server for which it keeps the key
    Allowance,      \* ticks that a client subtracts from that
    Rate,           \* between two ticks that a client's clocks miss, they count at least so many
    Attempts,       \* how often each client asks for the lock
    Renewals,       \* renewals and checks of one holder
    Faults,         \* how many faults happen, of the kinds in Kinds
    Kinds           \* subset of {"timeout", "suspend", "set"}; and "miss", if clocks miss ticks

\* The rules.  Each is TRUE in the algorithm; FALSE is a mutant.
CONSTANTS
    FromSending,        \* validity counts from before the request was sent, not from its reply
    ReplyCounts,        \* a renewal without a reply extends nothing
    LostEnds,           \* a renewal whose reply says that the key is gone ends the hold
    OverStaysOver,      \* no reply makes a hold valid again that is over
    ReleaseEnds,        \* a hold ends before its release is sent, not with the reply to that
    FreshTokens,        \* each attempt has a token of its own
    RenewalCompares,    \* a renewal extends the key of its own token only
    ReleaseCompares,    \* a release deletes the key of its own token only
    NeverShortens,      \* a renewal or check that comes late leaves the longer time to live
    MonotonicDecides,   \* the monotonic clock ends a hold
    WallWithholds       \* a hold is invalid if it is over by the wall clock

VARIABLES
    word,       \* the token in the key
    ttl,        \* for how long the server keeps it
    cl,         \* of each client: what it does and knows
    net,        \* requests that have not come to the server
    faults      \* how many faults may yet happen

vars == <<word, ttl, cl, net, faults>>

None == <<>>
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Less(t, n) == IF t > n THEN t - n ELSE 0

\* mono, wall: what is left of the validity by each clock; kept: of the lease of which the server has told last.
\* The same for a request that was sent: askMono, askWall, askKept; cap: what was left of mono then, by the wall clock.
Idle(c) == [ph |-> "idle", mono |-> 0, wall |-> 0, kept |-> 0, over |-> FALSE, req |-> 0, reply |-> "none",
            extends |-> FALSE, askMono |-> 0, askWall |-> 0, askKept |-> 0, cap |-> 0, renewals |-> 0,
            a |-> c.a, n |-> c.n, asleep |-> c.asleep, steady |-> c.steady]

Init ==
    /\ word = None
    /\ ttl = 0
    /\ cl = [c \in Clients |-> Idle([a |-> 0, n |-> 0, asleep |-> FALSE, steady |-> Rate])]
    /\ net = {}
    /\ faults = Faults

Fault(kind) == kind \in Kinds /\ faults > 0 /\ faults' = faults - 1
Token(c, a) == <<c, IF FreshTokens THEN a ELSE 1>>
Request(op, c, n, a, life) == [op |-> op, c |-> c, n |-> n, t |-> Token(c, a), ttl |-> life]
Free(c) == Request("free", c, 0, cl[c].a, 0)
Over(x) == IF MonotonicDecides THEN x.mono = 0 ELSE x.wall = 0
Running(c) == cl[c].ph \in {"ask", "hold"}
Is(c, phase) == cl[c].ph = phase /\ ~cl[c].asleep

\* Notes what was sent: a request for a time to live, of which a client may believe a part.
Asked(x, life, extends) ==
    [x EXCEPT !.n = @ + 1, !.req = x.n + 1, !.reply = "none", !.extends = extends, !.askMono = Less(life, Allowance),
              !.askWall = Less(life, Allowance), !.askKept = life, !.cap = x.mono]
Answered(x) ==
    [x EXCEPT !.req = 0, !.reply = "none", !.extends = FALSE, !.askMono = 0, !.askWall = 0, !.askKept = 0, !.cap = 0]

\* Takes over the validity that was asked for.
Confirmed(x) ==
    LET new == IF FromSending THEN x.askMono ELSE Lease - Allowance
        newWall == IF FromSending THEN x.askWall ELSE Lease - Allowance
    IN IF x.extends /\ new >= x.mono
       THEN [Answered(x) EXCEPT !.mono = new, !.wall = newWall, !.kept = x.askKept]
       ELSE [Answered(x) EXCEPT !.wall = Min(Max(x.wall, newWall), x.cap)]

----------------------------------------------------------------------------
\* The server.

Run(m) ==
    CASE m.op = "take" ->
            IF word \in {None, m.t} THEN [word |-> m.t, ttl |-> m.ttl, says |-> "yes"]
            ELSE [word |-> word, ttl |-> ttl, says |-> "no"]
      [] m.op = "renew" ->
            IF word = m.t \/ (~RenewalCompares /\ word # None)
            THEN [word |-> word, ttl |-> IF NeverShortens THEN Max(ttl, m.ttl) ELSE m.ttl, says |-> "yes"]
            ELSE [word |-> word, ttl |-> ttl, says |-> "no"]
      [] m.op = "free" ->
            IF word = m.t \/ ~ReleaseCompares THEN [word |-> None, ttl |-> 0, says |-> "yes"]
            ELSE [word |-> word, ttl |-> ttl, says |-> "yes"]

\* A request comes to the server, at any time and in any order.  Its reply waits until the client reads it.
Exec ==
    \E m \in net :
        LET r == Run(m)
        IN /\ word' = r.word
           /\ ttl' = r.ttl
           /\ net' = net \ {m}
           /\ cl' = [cl EXCEPT ![m.c].reply = IF m.n # 0 /\ m.n = cl[m.c].req THEN r.says ELSE @]
           /\ UNCHANGED faults

----------------------------------------------------------------------------
\* What clients do.  Nothing forces them to: a client may pause at any point.

Take(c) ==
    /\ Is(c, "idle") /\ cl[c].a < Attempts
    /\ cl' = [cl EXCEPT ![c] = [Asked(cl[c], Lease, TRUE) EXCEPT !.ph = "ask", !.a = @ + 1]]
    /\ net' = net \cup {Request("take", c, cl[c].n + 1, cl[c].a + 1, Lease)}
    /\ UNCHANGED <<word, ttl, faults>>

\* A grant that is over by either clock before its reply is read is given back.
Granted(c) ==
    /\ Is(c, "ask") /\ cl[c].reply = "yes"
    /\ LET x == Confirmed(cl[c])
       IN IF x.mono = 0 \/ x.wall = 0
          THEN /\ cl' = [cl EXCEPT ![c] = Idle(cl[c])]
               /\ net' = net \cup {Free(c)}
          ELSE /\ cl' = [cl EXCEPT ![c] = [x EXCEPT !.ph = "hold"]]
               /\ UNCHANGED net
    /\ UNCHANGED <<word, ttl, faults>>

Refused(c) ==
    /\ Is(c, "ask") /\ cl[c].reply = "no"
    /\ cl' = [cl EXCEPT ![c] = Idle(cl[c])]
    /\ UNCHANGED <<word, ttl, net, faults>>

\* Nobody waits for the reply any longer.  The request may still come to the server.
TimeOut(c) ==
    /\ cl[c].req # 0 /\ ~cl[c].asleep /\ Fault("timeout")
    /\ IF cl[c].ph = "ask"
       THEN /\ cl' = [cl EXCEPT ![c] = Idle(cl[c])]
            /\ net' = net \cup {Free(c)}
       ELSE /\ cl' = [cl EXCEPT ![c] = IF ReplyCounts THEN Answered(cl[c]) ELSE Confirmed(cl[c])]
            /\ UNCHANGED net
    /\ UNCHANGED <<word, ttl>>

\* A check asks for what is left of the lease: it shows whether the key is there, and extends nothing.
Renew(c) ==
    /\ Is(c, "hold") /\ cl[c].req = 0 /\ ~Over(cl[c]) /\ cl[c].renewals < Renewals
    /\ \E extends \in BOOLEAN :
        LET life == IF extends THEN Lease ELSE cl[c].kept
        IN /\ life > 0
           /\ cl' = [cl EXCEPT ![c] = [Asked(cl[c], life, extends) EXCEPT !.renewals = @ + 1]]
           /\ net' = net \cup {Request("renew", c, cl[c].n + 1, cl[c].a, life)}
    /\ UNCHANGED <<word, ttl, faults>>

Renewed(c) ==
    /\ Is(c, "hold") /\ (cl[c].reply = "yes" \/ (cl[c].reply = "no" /\ ~LostEnds))
    /\ cl' = [cl EXCEPT ![c] = IF OverStaysOver /\ Over(cl[c]) THEN Answered(cl[c]) ELSE Confirmed(cl[c])]
    /\ UNCHANGED <<word, ttl, net, faults>>

\* The hold is lost: the server says so, or its time is over.
Lose(c) ==
    /\ Is(c, "hold") /\ (Over(cl[c]) \/ (cl[c].reply = "no" /\ LostEnds))
    /\ cl' = [cl EXCEPT ![c] = Idle(cl[c])]
    /\ net' = net \cup {Free(c)}
    /\ UNCHANGED <<word, ttl, faults>>

\* A hold ends before its release is sent.  Its client waits for the reply, or gives that up.
Release(c) ==
    /\ Is(c, "hold")
    /\ cl' = [cl EXCEPT ![c] = [(IF ReleaseEnds THEN Idle(cl[c]) ELSE Answered(cl[c])) EXCEPT !.ph = "leave"]]
    /\ net' = net \cup {Free(c)}
    /\ UNCHANGED <<word, ttl, faults>>

Released(c) ==
    /\ Is(c, "leave")
    /\ cl' = [cl EXCEPT ![c] = Idle(cl[c])]
    /\ UNCHANGED <<word, ttl, net, faults>>

----------------------------------------------------------------------------
\* Clocks.

Aged(x, missed) ==
    LET wallTicks == IF missed THEN 0 ELSE 1
        monoTicks == IF missed \/ x.asleep THEN 0 ELSE 1
        y == [x EXCEPT !.mono = Less(@, monoTicks), !.kept = Less(@, monoTicks), !.askMono = Less(@, monoTicks),
                       !.askKept = Less(@, monoTicks), !.wall = Less(@, wallTicks), !.askWall = Less(@, wallTicks),
                       !.cap = Less(@, wallTicks), !.steady = IF missed THEN 0 ELSE Min(@ + 1, Rate)]
    IN [y EXCEPT !.over = @ \/ (y.ph = "hold" /\ y.mono = 0)]

\* The server's clock goes on, and those of all clients but those that miss this tick.
Tick ==
    /\ ttl > 0 \/ \E c \in Clients : cl[c].mono > 0 \/ cl[c].wall > 0 \/ cl[c].askMono > 0
    /\ \E missing \in SUBSET {c \in Clients : "miss" \in Kinds /\ Running(c) /\ cl[c].steady >= Rate} :
        cl' = [c \in Clients |-> Aged(cl[c], c \in missing)]
    /\ ttl' = Less(ttl, 1)
    /\ word' = IF ttl <= 1 THEN None ELSE word
    /\ UNCHANGED <<net, faults>>

\* The machine of a client is suspended: its monotonic clock stands still, and so do its threads.
Suspend(c) ==
    /\ Running(c) /\ ~cl[c].asleep /\ Fault("suspend")
    /\ cl' = [cl EXCEPT ![c].asleep = TRUE]
    /\ UNCHANGED <<word, ttl, net>>

Wake(c) ==
    /\ cl[c].asleep
    /\ cl' = [cl EXCEPT ![c].asleep = FALSE]
    /\ UNCHANGED <<word, ttl, net, faults>>

\* The wall clock of a client is set, back or forward.
SetWall(c) ==
    /\ Running(c) /\ Fault("set")
    /\ \E back \in BOOLEAN :
        LET Set(t) == IF back THEN t + Lease ELSE 0
        IN cl' = [cl EXCEPT ![c].wall = Set(@), ![c].askWall = Set(@), ![c].cap = Set(@)]
    /\ UNCHANGED <<word, ttl, net>>

Done == net = {} /\ \A c \in Clients : cl[c].ph = "idle" /\ cl[c].a = Attempts /\ ~cl[c].asleep
AllDone == Done /\ UNCHANGED vars

Next ==
    \/ \E c \in Clients :
        \/ Take(c) \/ Granted(c) \/ Refused(c) \/ TimeOut(c) \/ Renew(c) \/ Renewed(c) \/ Lose(c)
        \/ Release(c) \/ Released(c) \/ Suspend(c) \/ Wake(c) \/ SetWall(c)
    \/ Exec \/ Tick \/ AllDone

----------------------------------------------------------------------------
\* What the methods of a lease tell: a thread of a suspended machine asks nothing.
Valid(c) ==
    /\ cl[c].ph \in {"hold", "leave"} /\ ~cl[c].asleep
    /\ MonotonicDecides => cl[c].mono > 0
    /\ WallWithholds => cl[c].wall > 0

\* At most one client believes that it holds the lock.
OneHolder == \A c, d \in Clients : Valid(c) /\ Valid(d) => c = d

\* A hold that was over by the monotonic clock is never valid again: its thread may have been told.
NoRevival == \A c \in Clients : cl[c].ph = "hold" /\ cl[c].over => cl[c].mono = 0

Symmetry == Permutations(Clients)
=============================================================================
