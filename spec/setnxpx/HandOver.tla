------------------------------ MODULE HandOver ------------------------------
(****************************************************************************)
(* One lock on one Redis server: a word with a time to live, which refused  *)
(* waiters mark, like a futex; a queue; and a script that hands the word    *)
(* over.  What each part stands for, and what is left out, is said in       *)
(* ../README.md.  Times are relative: how many ticks are left.              *)
(****************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Clients,
    Lease,          \* ticks that the server keeps a word
    HandOverLease,  \* the same for a word that it has handed over
    Drift,          \* the server may drop a word so many ticks early
    Allowance,      \* ticks that a client subtracts from what it was promised
    Turns,          \* how often each client asks for the lock
    Attempts,       \* owner tokens that each client may draw
    Renewals,       \* renewals of one owner
    Timed,          \* whether time passes
    Faults,         \* how many faults happen, of the kinds in Kinds
    Kinds,          \* subset of {"reply", "note", "break", "crash", "leave", "fence", "list", "restart", "few"}, and of
                    \* those that are assumed not to happen, {"evict", "forget", "jump", "failover"}
    Replicas,       \* copies that may take over; one may as well be the disk, from which the server restarts
    Copies,         \* how many of them must have acknowledged a grant or a renewal; 0 for none
    Levels          \* how many steps are explored; 0 for all

\* The rules.  Each is TRUE in the algorithm; FALSE is a mutant.
CONSTANTS
    ExactComparison,        \* a script accepts the token and the marked token, and no other word with that prefix
    MarksOnRefusal,         \* a refused waiter's script marks the word
    MarksOnHandOver,        \* a word that is handed over while others queue is marked
    MissAsksScript,         \* a release that misses is followed by the hand-over script
    UndoAsksScript,         \* an undo is the hand-over script, not compare-and-delete alone
    ProofAfterFailover,     \* INCRBY only on a connection on which the counter was raised to the server's time
    SeedsFreshCounter,      \* a small value is a fresh counter: it is raised before the grant counts
    DeadlineIsInstant,      \* the deadline of a hand-over is a point in time, not a time to live since the message came
    RenewsOwnOnly,          \* a renewal never makes a word anew
    CountsBehind,           \* INCRBY stands behind SET NX PX, not before it
    LooksBehind,            \* whoever took the word before others who queue hands it over
    GrantWaits,             \* with Copies: a grant counts once they are there
    RenewalWaits,           \* with Copies: a renewal too
    RenewalWrites,          \* with Copies: a renewal writes even if it finds as long a lease as it asks for
    NoteOnlyWakes,          \* with Copies: who was granted the lock by a message asks for it before it has it
    MayAsk                  \* a waiter asks again

VARIABLES
    db,         \* the server's data: word, mark, ttl, fence, list
    replica,    \* what its replicas have of it
    cl,         \* of each client: what it does and knows
    link,       \* of each client: requests on its connection, in order
    stray,      \* requests of abandoned connections
    notes,      \* messages to waiters
    faults,     \* how many faults may yet happen
    over,       \* tokens whose release or undo was confirmed
    last,       \* the last fencing token of a holder; Broken if they did not grow
    top,        \* the largest fencing token that was drawn
    drawn       \* whether each was larger than all that were drawn before, also by servers that were lost

vars == <<db, replica, cl, link, stray, notes, faults, over, last, top, drawn>>

None == <<>>
Base == 10      \* the server's time is never below; a fresh counter is
Broken == 99

Max(a, b) == IF a > b THEN a ELSE b
Less(t) == IF t > 0 THEN t - 1 ELSE 0
Has(list, x) == \E i \in 1..Len(list) : list[i] = x
Without(list, x) == SelectSeq(list, LAMBDA y : y # x)

Empty == [word |-> None, mark |-> FALSE, ttl |-> 0, fence |-> 0, list |-> <<>>]
Idle(c, turns, a, proved) ==
    [ph |-> "idle", tok |-> None, left |-> 0, val |-> 0, f |-> 0, more |-> FALSE, again |-> FALSE, broke |-> FALSE,
     renewals |-> 0, proved |-> proved, turns |-> turns, a |-> a]

Init ==
    /\ db = Empty
    /\ replica = [x \in Replicas |-> Empty]
    /\ cl = [c \in Clients |-> Idle(c, Turns, 0, FALSE)]
    /\ link = [c \in Clients |-> <<>>]
    /\ stray = <<>>
    /\ notes = {}
    /\ faults = Faults
    /\ over = {}
    /\ last = 0
    /\ top = 0
    /\ drawn = TRUE

----------------------------------------------------------------------------
\* The server's scripts and commands: the state after it, the reply, and notes.

Reply(s, kind, f) == [s |-> s, kind |-> kind, f |-> f, notes |-> {}]

\* "p-1" is a prefix of "p-11": here the first token of a client is one of all its later ones.
Owns(s, t) == s.word # None /\ (s.word = t \/ (~ExactComparison /\ s.word[1] = t[1] /\ t[2] = 1))

Time == Max(top + 1, Base)
Draw(s) == Max(s.fence + 1, Time)
Freed(s) == [s EXCEPT !.word = None, !.mark = FALSE, !.ttl = 0]

GrantHead(s) ==
    LET f == Draw(s)
        others == Len(s.list) > 1
    IN [s |-> [s EXCEPT !.word = Head(s.list), !.mark = others /\ MarksOnHandOver, !.ttl = HandOverLease, !.fence = f,
                        !.list = Tail(@)],
        notes |-> {[to |-> Head(s.list), left |-> HandOverLease - Allowance, f |-> f,
                    more |-> others /\ MarksOnHandOver]}]

\* SET NX PX.  INCRBY and EXISTS follow on the same connection, and requests of others may come between.
Take(s, t) == IF s.word = None THEN Reply([s EXCEPT !.word = t, !.ttl = Lease], "yes", 0) ELSE Reply(s, "no", 0)

\* INCRBY, which raises the counter for a refused client too; and EXISTS of the queue.
Count(s) ==
    LET f == s.fence + 1
    IN Reply([s EXCEPT !.fence = f], IF s.list = <<>> \/ ~LooksBehind THEN "yes" ELSE "no", f)

\* The acquiring script, of who comes first and of who asks again.
Acquire(s, t) ==
    LET f == Draw(s)
        l == IF Has(s.list, t) THEN s.list ELSE Append(s.list, t)
    IN IF s.word = t \/ (s.word = None /\ Head(l) = t)
       THEN Reply([s EXCEPT !.word = t, !.mark = IF s.word = t THEN @ ELSE Len(l) > 1, !.ttl = Lease, !.fence = f,
                            !.list = Without(@, t)], "yes", f)
       ELSE IF s.word = None
       THEN LET g == GrantHead([s EXCEPT !.list = l]) IN [Reply(g.s, "no", 0) EXCEPT !.notes = g.notes]
       ELSE Reply([s EXCEPT !.mark = @ \/ MarksOnRefusal, !.list = l], "no", 0)

\* Raises the counter to the server's time, for an owner that drew a small value.
Seed(s, t) == IF Owns(s, t) THEN LET f == Draw(s) IN Reply([s EXCEPT !.fence = f], "yes", f) ELSE Reply(s, "no", 0)

Renew(s, t) ==
    IF Owns(s, t) THEN Reply([s EXCEPT !.ttl = Lease], "yes", 0)
    ELSE IF ~RenewsOwnOnly /\ s.word = None THEN Reply([s EXCEPT !.word = t, !.ttl = Lease], "yes", 0)
    ELSE Reply(s, "no", 0)

\* Compare-and-delete of the unmarked word.
Delete(s, t) == IF s.word = t /\ ~s.mark THEN Reply(Freed(s), "yes", 0) ELSE Reply(s, "no", 0)

\* The hand-over script: release, undo, and leaving the queue.
HandOver(s, t) ==
    LET r == [s EXCEPT !.list = Without(@, t)]
    IN IF ~Owns(s, t) THEN Reply(r, "yes", 0)
       ELSE IF r.list = <<>> THEN Reply(Freed(r), "yes", 0)
       ELSE LET g == GrantHead(r) IN [Reply(g.s, "yes", 0) EXCEPT !.notes = g.notes]

Run(m) ==
    CASE m.op = "take" -> Take(db, m.t)
      [] m.op \in {"count", "lose", "early"} -> Count(db)
      [] m.op = "acquire" -> Acquire(db, m.t)
      [] m.op = "seed" -> Seed(db, m.t)
      [] m.op = "renew" -> Renew(db, m.t)
      [] m.op = "delete" -> Delete(db, m.t)
      [] m.op \in {"handover", "pass"} -> HandOver(db, m.t)
      [] m.op = "wait" -> Reply(db, "yes", 0)

Request(op, t) == [op |-> op, t |-> t, f |-> 0]

\* WAIT stands behind the request in the same write; until it answers, the reply to the request counts for nothing.
\* WAIT asks for what its own connection has written: if that is nothing, it answers at once, whatever other connections
\* have written.  A refusal is one at once.  A client that waits for replicas draws no token by INCRBY.
Wait(m, r) == [op |-> "wait", t |-> m.t, f |-> r.f, of |-> m.op,
               has |-> IF m.op = "renew" /\ r.s = db /\ ~RenewalWrites THEN Replicas ELSE {}]
Waits(m, r) == /\ Copies > 0 /\ r.kind = "yes"
               /\ (m.op = "acquire" /\ GrantWaits) \/ (m.op = "renew" /\ RenewalWaits)
WaitsAtHead(c) == link[c] # <<>> /\ Head(link[c]).op = "wait"
\* Whoever waits for replicas has a connection of its own for that: what is sent meanwhile overtakes it.
Send(c, m) == link' = [link EXCEPT ![c] = IF WaitsAtHead(c) THEN <<m>> ELSE Append(@, m)]
Answer(c, m) == link' = [link EXCEPT ![c] = Append(Tail(@), m)]
Receive(c) == link' = [link EXCEPT ![c] = Tail(@)]
GoOn(c, m) == link' = [link EXCEPT ![c] = <<m>> \o Tail(@)]
Fault(kind) == kind \in Kinds /\ faults > 0 /\ faults' = faults - 1
Ended(c) == Idle(c, cl[c].turns, cl[c].a, cl[c].proved)
Began(f) == last' = IF last = Broken THEN last ELSE IF f > last THEN f ELSE Broken

----------------------------------------------------------------------------
\* What clients do of themselves.

Start(c) ==
    /\ cl[c].ph = "idle" /\ cl[c].turns > 0 /\ cl[c].a < Attempts
    /\ LET t == <<c, cl[c].a + 1>>
       IN /\ cl' = [cl EXCEPT ![c] = [Idle(c, cl[c].turns - 1, cl[c].a + 1, cl[c].proved) EXCEPT
                        !.ph = "ask", !.tok = t, !.left = Lease - Allowance]]
          /\ Send(c, Request(IF ~cl[c].proved \/ Copies > 0 THEN "acquire"
                             ELSE IF CountsBehind THEN "take" ELSE "early", t))
    /\ UNCHANGED <<db, replica, stray, notes, faults, over, last, top, drawn>>

\* No reply will come to the request of an asker: what it may have done is undone.
Undo(c) ==
    /\ cl[c].ph \in {"ask", "seed"} /\ link[c] = <<>>
    /\ cl' = [cl EXCEPT ![c].ph = "undo", ![c].left = 0]
    /\ Send(c, Request(IF UndoAsksScript THEN "handover" ELSE "delete", cl[c].tok))
    /\ UNCHANGED <<db, replica, stray, notes, faults, over, last, top, drawn>>

\* A waiter asks again.  The model leaves out questions that would change nothing.
AskAgain(c) ==
    /\ MayAsk /\ cl[c].ph = "wait" /\ link[c] = <<>>
    /\ ~ \E x \in notes : x.to = cl[c].tok
    /\ db.word = None \/ db.word = cl[c].tok \/ ~Has(db.list, cl[c].tok) \/ ~db.mark
    /\ cl' = [cl EXCEPT ![c].left = Lease - Allowance, ![c].again = TRUE]
    /\ Send(c, Request("acquire", cl[c].tok))
    /\ UNCHANGED <<db, replica, stray, notes, faults, over, last, top, drawn>>

\* A timed wait ends.
GiveUp(c) ==
    /\ cl[c].ph = "wait" /\ Fault("leave")
    /\ cl' = [cl EXCEPT ![c].ph = "undo"]
    /\ Send(c, Request("handover", cl[c].tok))
    /\ UNCHANGED <<db, replica, stray, notes, over, last, top, drawn>>

RenewIt(c) ==
    /\ cl[c].ph = "hold" /\ cl[c].val > 0 /\ cl[c].left = 0 /\ cl[c].renewals < Renewals
    /\ cl' = [cl EXCEPT ![c].left = Lease - Allowance, ![c].renewals = @ + 1]
    /\ Send(c, Request("renew", cl[c].tok))
    /\ UNCHANGED <<db, replica, stray, notes, faults, over, last, top, drawn>>

\* Who knows that others wait sends the script at once.
Release(c) ==
    /\ cl[c].ph = "hold"
    /\ cl' = [cl EXCEPT ![c].ph = "release", ![c].val = 0, ![c].left = 0]
    /\ Send(c, Request(IF cl[c].more THEN "handover" ELSE "delete", cl[c].tok))
    /\ UNCHANGED <<db, replica, stray, notes, faults, over, last, top, drawn>>

\* No reply to a release or undo will come: it is repeated, as the script.
Repeat(c) ==
    /\ cl[c].ph \in {"release", "undo"} /\ link[c] = <<>>
    /\ Send(c, Request(IF UndoAsksScript \/ cl[c].ph = "release" THEN "handover" ELSE "delete", cl[c].tok))
    /\ UNCHANGED <<db, replica, cl, stray, notes, faults, over, last, top, drawn>>

----------------------------------------------------------------------------
\* What clients do with replies and notes.

Hold(c, f, left, more) ==
    /\ cl' = [cl EXCEPT ![c] = [Ended(c) EXCEPT !.ph = "hold", !.tok = cl[c].tok, !.val = left, !.f = f, !.more = more,
                                !.broke = cl[c].broke]]
    /\ Began(f)
Ignore(c) == Receive(c) /\ UNCHANGED <<cl, over, last>>

\* The commands of one write are carried out one after the other, whatever becomes of the first.
OnTaken(c, m, r) ==
    /\ GoOn(c, Request(IF r.kind = "yes" THEN "count" ELSE "lose", m.t))
    /\ UNCHANGED <<cl, over, last>>

OnAsked(c, m, r) ==
    LET s == cl[c]
    IN IF s.tok # m.t \/ s.ph \notin {"ask", "wait"} THEN Ignore(c)
       ELSE IF m.op = "count" /\ r.kind = "no"
       THEN Answer(c, Request("pass", s.tok)) /\ UNCHANGED <<cl, over, last>>
       \* Refused by SET NX, or handed over: the script marks the word and queues.
       ELSE IF m.op \in {"lose", "pass"} \/ (m.op = "take" /\ r.kind = "no")
       THEN Answer(c, Request("acquire", s.tok)) /\ UNCHANGED <<cl, over, last>>
       ELSE IF r.kind = "yes" /\ s.left = 0
       THEN /\ cl' = [cl EXCEPT ![c].ph = "undo"]
            /\ Answer(c, Request(IF UndoAsksScript THEN "handover" ELSE "delete", s.tok))
            /\ UNCHANGED <<over, last>>
       ELSE IF r.kind = "yes" /\ SeedsFreshCounter /\ r.f < Base
       THEN /\ cl' = [cl EXCEPT ![c].ph = "seed"]
            /\ Answer(c, Request("seed", s.tok))
            /\ UNCHANGED <<over, last>>
       ELSE IF r.kind = "yes"
       THEN /\ cl' = [cl EXCEPT ![c] = [Ended(c) EXCEPT !.ph = "hold", !.tok = s.tok, !.val = s.left, !.f = r.f,
                        !.broke = s.broke, !.proved = @ \/ m.op = "acquire"]]
            /\ Began(r.f)
            /\ Receive(c)
            /\ UNCHANGED over
       ELSE /\ cl' = [cl EXCEPT ![c].ph = "wait", ![c].left = 0]
            /\ Receive(c)
            /\ UNCHANGED <<over, last>>

OnSeeded(c, m, r) ==
    LET s == cl[c]
    IN IF s.tok # m.t \/ s.ph # "seed" THEN Ignore(c)
       ELSE IF r.kind = "yes" /\ s.left > 0
       THEN Hold(c, r.f, s.left, FALSE) /\ Receive(c) /\ UNCHANGED over
       ELSE /\ cl' = [cl EXCEPT ![c].ph = "undo", ![c].left = 0]
            /\ Answer(c, Request("handover", s.tok))
            /\ UNCHANGED <<over, last>>

OnRenewed(c, m, r) ==
    IF cl[c].tok # m.t \/ cl[c].ph # "hold" THEN Ignore(c)
    ELSE /\ cl' = [cl EXCEPT ![c].val = IF r.kind = "yes" THEN Max(@, cl[c].left) ELSE @, ![c].left = 0]
         /\ Receive(c)
         /\ UNCHANGED <<over, last>>

OnReleased(c, m, r) ==
    LET s == cl[c]
    IN IF s.tok # m.t \/ s.ph \notin {"release", "undo"} THEN Ignore(c)
       ELSE IF m.op = "delete" /\ r.kind = "no" /\ MissAsksScript /\ (UndoAsksScript \/ s.ph = "release")
       THEN Answer(c, Request("handover", s.tok)) /\ UNCHANGED <<cl, over, last>>
       ELSE /\ cl' = [cl EXCEPT ![c] = Ended(c)]
            /\ over' = IF s.broke THEN over ELSE over \cup {s.tok}
            /\ Receive(c)
            /\ UNCHANGED last

Carry(r) ==
    /\ db' = r.s
    /\ notes' = notes \cup r.notes
    /\ top' = Max(top, r.s.fence)
    /\ drawn' = (drawn /\ \A f \in {r.f} \cup {x.f : x \in r.notes} :
                            f > top \/ f = 0 \/ (f < Base /\ SeedsFreshCounter))

\* The server carries out the next request of a connection, and the client has the reply.
Exec(c) ==
    /\ link[c] # <<>> /\ ~WaitsAtHead(c)
    /\ LET m == Head(link[c])
           r == Run(m)
       IN /\ Carry(r)
          /\ CASE Waits(m, r) -> GoOn(c, Wait(m, r)) /\ UNCHANGED <<cl, over, last>>
               [] m.op = "early" -> GoOn(c, [Request("take", m.t) EXCEPT !.f = r.f]) /\ UNCHANGED <<cl, over, last>>
               [] m.op = "take" /\ CountsBehind -> OnTaken(c, m, r)
               [] m.op = "take" -> OnAsked(c, m, [r EXCEPT !.f = m.f])
               [] m.op \in {"count", "lose", "pass", "acquire"} -> OnAsked(c, m, r)
               [] m.op = "seed" -> OnSeeded(c, m, r)
               [] m.op = "renew" -> OnRenewed(c, m, r)
               [] OTHER -> OnReleased(c, m, r)
    /\ UNCHANGED <<replica, stray, faults>>

\* WAIT answers: so many replicas have all that this connection has written.
Acknowledged(c) ==
    /\ WaitsAtHead(c)
    /\ LET m == Head(link[c])
           r == Reply(db, "yes", m.f)
       IN /\ Cardinality(m.has) >= Copies
          /\ IF m.of = "acquire" THEN OnAsked(c, [m EXCEPT !.op = m.of], r)
             ELSE OnRenewed(c, m, r)
    /\ UNCHANGED <<db, replica, stray, notes, faults, top, drawn>>

\* Too few have it in time: a grant is given back, and a renewal extends nothing.
TooFew(c) ==
    /\ WaitsAtHead(c) /\ Fault("few")
    /\ IF Head(link[c]).of = "acquire" /\ cl[c].ph \in {"ask", "wait"}
       THEN /\ cl' = [cl EXCEPT ![c].ph = "undo", ![c].left = 0]
            /\ Answer(c, Request("handover", cl[c].tok))
       ELSE /\ cl' = [cl EXCEPT ![c].left = IF cl[c].ph = "hold" THEN 0 ELSE @]
            /\ Receive(c)
    /\ UNCHANGED <<db, replica, stray, notes, over, last, top, drawn>>

ExecUnanswered(c) ==
    /\ link[c] # <<>> /\ Fault("reply")
    /\ Carry(Run(Head(link[c])))
    /\ Receive(c)
    /\ UNCHANGED <<replica, cl, stray, over, last>>

\* A message that came too late, or after the claim was undone, is ignored.
HearNote(x) ==
    LET c == x.to[1]
        left == IF DeadlineIsInstant THEN x.left ELSE HandOverLease - Allowance
    IN /\ notes' = notes \ {x}
       /\ IF cl[c].ph # "wait" \/ cl[c].tok # x.to \/ left = 0 \/ link[c] # <<>>
          THEN UNCHANGED <<cl, link, last>>
          ELSE IF Copies > 0 /\ NoteOnlyWakes
          THEN /\ cl' = [cl EXCEPT ![c].left = Lease - Allowance, ![c].again = TRUE]
               /\ Send(c, Request("acquire", cl[c].tok))
               /\ UNCHANGED last
          ELSE Hold(c, x.f, left, x.more) /\ UNCHANGED link
       /\ UNCHANGED <<db, replica, stray, faults, over, top, drawn>>

Hear == \E x \in notes : HearNote(x)

----------------------------------------------------------------------------
\* What goes wrong.

LoseNotes ==
    /\ Fault("note")
    /\ \E x \in notes : notes' = notes \ {x}
    /\ UNCHANGED <<db, replica, cl, link, stray, over, last, top, drawn>>

\* A connection is given up: what is on the way may arrive at any time later, behind requests of the next connection.
Break(c) ==
    /\ link[c] # <<>> /\ Fault("break")
    /\ stray' = stray \o link[c]
    /\ link' = [link EXCEPT ![c] = <<>>]
    /\ cl' = [cl EXCEPT ![c].broke = TRUE, ![c].proved = ~ProofAfterFailover]
    /\ UNCHANGED <<db, replica, notes, over, last, top, drawn>>

ExecStray ==
    /\ stray # <<>>
    /\ Carry(Run(Head(stray)))
    /\ stray' = Tail(stray)
    /\ UNCHANGED <<replica, cl, link, faults, over, last>>

LoseStray ==
    /\ stray # <<>>
    /\ stray' = <<>>
    /\ UNCHANGED <<db, replica, cl, link, notes, faults, over, last, top, drawn>>

Crash(c) ==
    /\ cl[c].ph \notin {"idle", "dead"} /\ Fault("crash")
    /\ cl' = [cl EXCEPT ![c] = [Idle(c, 0, cl[c].a, FALSE) EXCEPT !.ph = "dead"]]
    /\ UNCHANGED <<db, replica, link, stray, notes, over, last, top, drawn>>

\* All connections end with the server, and whatever is on the way.
CutAll ==
    /\ link' = [c \in Clients |-> <<>>]
    /\ stray' = <<>>
    /\ cl' = [c \in Clients |-> [cl[c] EXCEPT !.proved = @ /\ ~ProofAfterFailover, !.broke = TRUE]]

\* The server restarts with its data, or a replica that has all of it takes over.
Restart ==
    /\ Fault("restart")
    /\ CutAll
    /\ UNCHANGED <<db, replica, notes, over, last, top, drawn>>

\* A replica receives all that it has not got.
Replicate(x) ==
    /\ (("failover" \in Kinds /\ faults > 0) \/ \E c \in Clients : WaitsAtHead(c) /\ x \notin Head(link[c]).has)
    /\ replica' = [replica EXCEPT ![x] = db]
    /\ link' = [c \in Clients |-> IF WaitsAtHead(c) THEN <<[Head(link[c]) EXCEPT !.has = @ \cup {x}]>> \o Tail(link[c])
                                  ELSE link[c]]
    /\ <<replica, link>>' # <<replica, link>>
    /\ UNCHANGED <<db, cl, stray, notes, faults, over, last, top, drawn>>

\* A replica takes over; what it has not got is lost, and so are all connections.
Failover(x) ==
    /\ Fault("failover")
    /\ db' = replica[x]
    /\ CutAll
    /\ UNCHANGED <<replica, notes, over, last, top, drawn>>

\* The counter has lived its day, or was evicted.
LoseFence ==
    /\ db.fence > 0 /\ Fault("fence")
    /\ db' = [db EXCEPT !.fence = 0]
    /\ UNCHANGED <<replica, cl, link, stray, notes, over, last, top, drawn>>

\* So was the queue.
LoseList ==
    /\ db.list # <<>> /\ Fault("list")
    /\ db' = [db EXCEPT !.list = <<>>]
    /\ UNCHANGED <<replica, cl, link, stray, notes, over, last, top, drawn>>

\* Faults that are assumed not to happen: a running server loses the word or all keys, a server restarts without its
\* data, and the clock of a server is set forward, so that it ends a lease early.
Evict ==
    /\ Fault("evict")
    /\ \E s \in {Freed(db), Empty} : s # db /\ db' = s
    /\ UNCHANGED <<replica, cl, link, stray, notes, over, last, top, drawn>>

Forget ==
    /\ Fault("forget")
    /\ db' = Empty
    /\ CutAll
    /\ UNCHANGED <<replica, notes, over, last, top, drawn>>

Jump ==
    /\ Fault("jump")
    /\ \E n \in 1..db.ttl : db' = IF n = db.ttl THEN Freed(db) ELSE [db EXCEPT !.ttl = @ - n]
    /\ UNCHANGED <<replica, cl, link, stray, notes, over, last, top, drawn>>

Expire ==
    /\ db.word # None /\ db.ttl <= Drift
    /\ db' = Freed(db)
    /\ UNCHANGED <<replica, cl, link, stray, notes, faults, over, last, top, drawn>>

Aged(s) == LET a == [s EXCEPT !.ttl = Less(@)] IN IF a.ttl = 0 THEN Freed(a) ELSE a

Tick ==
    /\ Timed
    /\ db.ttl > 0 \/ \E c \in Clients : cl[c].left > 0 \/ cl[c].val > 0
    /\ db' = Aged(db)
    /\ replica' = [x \in Replicas |-> Aged(replica[x])]
    /\ cl' = [c \in Clients |-> [cl[c] EXCEPT !.left = Less(@), !.val = Less(@)]]
    /\ notes' = {[x EXCEPT !.left = Less(@)] : x \in notes}
    /\ UNCHANGED <<link, stray, faults, over, last, top, drawn>>

Done(c) == cl[c].ph = "dead" \/ (cl[c].ph = "idle" /\ (cl[c].turns = 0 \/ cl[c].a = Attempts))
AllDone == (\A c \in Clients : Done(c)) /\ UNCHANGED vars

Next ==
    \/ \E c \in Clients :
        \/ Start(c) \/ Undo(c) \/ AskAgain(c) \/ GiveUp(c) \/ RenewIt(c) \/ Release(c) \/ Repeat(c)
        \/ Exec(c) \/ ExecUnanswered(c) \/ Acknowledged(c) \/ TooFew(c) \/ Break(c) \/ Crash(c)
    \/ \E x \in Replicas : Replicate(x) \/ Failover(x)
    \/ Hear \/ LoseNotes
    \/ ExecStray \/ LoseStray \/ Restart \/ LoseFence \/ LoseList
    \/ Evict \/ Forget \/ Jump \/ Expire \/ Tick
    \/ AllDone

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

----------------------------------------------------------------------------
Valid(c) == cl[c].ph = "hold" /\ cl[c].val > 0

\* At most one client believes that it holds the lock.
OneHolder == \A c, d \in Clients : Valid(c) /\ Valid(d) => c = d

\* Fencing tokens grow from holder to holder, and nobody with an older one becomes valid again.
TokensGrow == last # Broken /\ \A c \in Clients : Valid(c) => cl[c].f = last

\* The same from draw to draw, which is all that is left after a failover that lost writes: who learns late of a grant
\* that was lost has the smaller token.
DrawsGrow == drawn

\* While somebody queues, the word is held by somebody whose release will find its mark.
NoLostWakeUp == db.list # <<>> => db.word # None /\ db.mark

\* A holder whose word has no mark keeps nobody waiting: its release would look for nobody.
HolderIsMarked == \A c \in Clients : cl[c].ph = "hold" /\ db.word = cl[c].tok /\ db.list # <<>> => db.mark

\* Nothing is left behind by a token whose release or undo was confirmed.
NoGhost == db.word \notin over /\ \A i \in 1..Len(db.list) : db.list[i] \notin over

\* Every client is served, gives up, or crashes: no wait lasts for ever.
AllEnd == <>(\A c \in Clients : Done(c))

Bound == Levels = 0 \/ TLCGet("level") < Levels
Symmetry == Permutations(Clients)
=============================================================================
