------------------------------ MODULE ReadWrite ------------------------------
(****************************************************************************)
(* One read/write lock on one Redis server: the word of a writer with a     *)
(* time to live, readers by the ends of their leases, and those who wait to *)
(* write and to read.  Each script ends what is over and begins the phase   *)
(* whose turn it is.  What each part stands for, which script does it, and  *)
(* what is left out, is said in ../README.md.  Times are ticks that are     *)
(* left.                                                                    *)
(****************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Readers,
    Writers,
    Downgraders,    \* reads of the thread of Master, which asks for them while it writes
    Master,         \* a writer
    Lease,          \* ticks that the server keeps a side
    HandOverLease,  \* the same for a side that the end of a phase has granted
    Drift,          \* the server may end a lease so many ticks early
    Allowance,      \* ticks that a client subtracts from what it was promised
    Turns,          \* how often each client asks for its side; 0 for again and again, by one token and without fences
    Renewals,       \* renewals of one holder
    Timed,          \* whether time passes
    Faults,         \* how many faults happen, of the kinds in Kinds
    Kinds,          \* subset of {"reply", "note", "break", "crash", "leave", "fence", "cut", "restart"}, and of those
                    \* that are assumed not to happen, {"forget", "jump", "trace"}
    Levels          \* how many steps are explored; 0 for all

\* The rules.  Each is TRUE in the algorithm; FALSE is a mutant.
CONSTANTS
    WriterExcludesReaders,  \* nobody begins to read while somebody else writes
    ReadersExcludeWriter,   \* nobody begins to write while somebody reads
    ReadersWaitForWriters,  \* nobody begins to read while somebody waits to write
    ReadersAfterWriter,     \* after a writer those who wait to read are next
    WriterAfterReaders,     \* after readers the first who waits to write is next
    AdmitsAll,              \* a phase of reading begins with all who wait for it
    AdmitsBesideOwn,        \* also if the writer goes on reading
    MarksDowngrade,         \* and if the lease of that writer has ended, which nobody saw
    TracesTell,             \* readers whose leases have ended tell that there was a phase of reading
    OwnLease,               \* each reader has a lease of its own
    ComparesToken,          \* a release ends what its own token holds
    RenewsOwnOnly,          \* a renewal never makes a side anew
    UndoTakesGrant,         \* whoever leaves gives back what it was granted meanwhile
    UndoTakesPlace,         \* and its place
    LeavingSettles,         \* and begins the phase that it held up
    PassesOverDead,         \* whoever is known to be gone is granted nothing
    KeepsArrival,           \* whoever has lost its place gets it back by the time of its arrival
    ReaderSeesFence,        \* a reader draws no fencing token while there is one
    DrawsFromTime,          \* a counter that was lost goes on from the server's time
    MessageOnlyWakes,       \* a message is no grant
    MayAsk                  \* a waiter asks again without a message

VARIABLES
    db,         \* the server's data: w and wt, the writer and its time; rd, the readers; f, the fence; tw and tr, those
                \* who wait; mark, that the writer has read, too
    deaf,       \* clients of which the server knows that they do not listen
    cl,         \* of each client: what it does and knows
    link,       \* of each client: requests on its connection, in order
    stray,      \* requests of abandoned connections
    notes,      \* messages to waiters
    faults,     \* how many faults may yet happen
    over,       \* tokens whose release or undo was confirmed
    order,      \* writers that wait, by their first arrival
    seen,       \* of each place: how many phases of writing and of reading it has seen, with that in which it was taken
    late,       \* of each dead client: for how many ticks it has held a side
    wrong,      \* what has happened that must not: "overtaken", "dead"
    last,       \* the largest token of a holder; Broken if they did not grow
    top         \* the largest token that was drawn

vars == <<db, deaf, cl, link, stray, notes, faults, over, order, seen, late, wrong, last, top>>
ghosts == <<order, seen, wrong>>

Clients == Readers \cup Writers \cup Downgraders
Writes(t) == t[1] \in Writers
Loops == Turns = 0

None == <<>>
Nobody == [x \in {} |-> 0]
Broken == 99

Max(a, b) == IF a > b THEN a ELSE b
Less(t) == IF t > 0 THEN t - 1 ELSE 0
Has(list, x) == \E i \in 1..Len(list) : list[i] = x
Without(list, x) == SelectSeq(list, LAMBDA y : y # x)
Only(f, S) == [x \in S |-> f[x]]
Place(list, x) == CHOOSE i \in 1..Len(list) : list[i] = x
Earlier(u, t) == Has(order, u) /\ Place(order, u) < Place(order, t)

Empty == [w |-> None, wt |-> 0, rd |-> Nobody, f |-> 0, tw |-> <<>>, tr |-> {}, mark |-> FALSE]
Idle(turns, a) ==
    [ph |-> "idle", tok |-> None, left |-> 0, val |-> 0, f |-> 0, told |-> FALSE, known |-> FALSE, broke |-> FALSE,
     renewals |-> 0, turns |-> turns, a |-> a]

Init ==
    /\ db = Empty
    /\ deaf = {}
    /\ cl = [c \in Clients |-> Idle(Max(Turns, 1), 0)]
    /\ link = [c \in Clients |-> <<>>]
    /\ stray = <<>>
    /\ notes = {}
    /\ faults = Faults
    /\ over = {}
    /\ order = <<>>
    /\ seen = Nobody
    /\ late = [c \in Clients |-> 0]
    /\ wrong = {}
    /\ last = 0
    /\ top = 0

----------------------------------------------------------------------------
\* The scripts: the state after them, the reply, and those who are told.

There(t) == ~PassesOverDead \/ t[1] \notin deaf
Reads(s) == DOMAIN s.rd
NoWriter(s) == [s EXCEPT !.w = None, !.wt = 0]

\* Those who wait to write from the first who is there; the others are dropped.
FirstThere(list) ==
    LET are == {i \in 1..Len(list) : There(list[i])}
    IN IF are = {} THEN <<>> ELSE SubSeq(list, CHOOSE i \in are : \A j \in are : i <= j, Len(list))

Admit(s) ==
    LET come == {t \in s.tr : There(t)}
        in == IF AdmitsAll \/ come = {} THEN come ELSE {CHOOSE t \in come : TRUE}
    IN [s EXCEPT !.rd = [t \in in |-> HandOverLease] @@ @, !.tr = come \ in]

Promote(s) ==
    LET l == FirstThere(s.tw)
    IN IF l = <<>> THEN [s EXCEPT !.tw = l]
       ELSE [s EXCEPT !.w = Head(l), !.wt = HandOverLease, !.rd = Nobody, !.tw = Tail(l)]

\* Ends what is over, and begins the phase whose turn it is after that of "w", a writer, or "r", a reader.
Settle(s, ended) ==
    LET valid == {t \in Reads(s) : s.rd[t] > 0}
        wrote == s.w = None /\ s.mark
        e == IF wrote THEN "w" ELSE IF ended = "" /\ valid # Reads(s) /\ TracesTell THEN "r" ELSE ended
        r == [s EXCEPT !.rd = Only(@, valid), !.mark = @ /\ ~wrote]
        l == FirstThere(r.tw)
    IN IF r.w # None \/ (r.tw = <<>> /\ r.tr = {}) THEN r
       ELSE IF valid # {} /\ e = "w" THEN IF AdmitsBesideOwn THEN Admit(r) ELSE r
       ELSE IF valid # {} THEN IF l = <<>> THEN Admit([r EXCEPT !.tw = l]) ELSE [r EXCEPT !.tw = l]
       ELSE IF (e = "r" /\ WriterAfterReaders) \/ ~ReadersAfterWriter
       THEN LET p == Promote(r) IN IF p.w = None THEN Admit(p) ELSE p
       ELSE LET a == Admit(r) IN IF Reads(a) = {} THEN Promote(a) ELSE a

Reply(s, kind, f) == [s |-> s, kind |-> kind, f |-> f]
Draw(s) == IF Loops THEN 0 ELSE IF s.f = 0 /\ DrawsFromTime THEN top + 1 ELSE s.f + 1
Within(t) == IF t[1] \in Downgraders THEN cl[Master].tok ELSE None

\* A place by the time of arrival, if the asker knows it.
Enter(s, t, known) ==
    IF ~Writes(t) THEN [s EXCEPT !.tr = @ \cup {t}]
    ELSE IF Has(s.tw, t) THEN s
    ELSE IF ~known \/ ~KeepsArrival \/ ~Has(order, t) THEN [s EXCEPT !.tw = Append(@, t)]
    ELSE LET before == SelectSeq(s.tw, LAMBDA u : Earlier(u, t))
             after == SelectSeq(s.tw, LAMBDA u : ~Has(before, u))
         IN [s EXCEPT !.tw = before \o <<t>> \o after]

Refuse(s, t, known) ==
    IF t[1] \in deaf THEN Reply(s, "no", 0) ELSE Reply(Enter(s, t, known), "place", 0)

AskToRead(m) ==
    LET s == Settle(db, "")
        free == (s.w = None \/ ~WriterExcludesReaders) /\ (s.tw = <<>> \/ ~ReadersWaitForWriters)
        own == m.t \in Reads(s) \/ (m.within # None /\ s.w = m.within)
        f == IF s.f > 0 /\ ReaderSeesFence THEN s.f ELSE Draw(s)
    IN IF free \/ own
       THEN Reply([s EXCEPT !.rd = (m.t :> Lease) @@ @, !.f = f, !.tr = @ \ {m.t},
                            !.mark = @ \/ (MarksDowngrade /\ s.w # None)], "yes", f)
       ELSE Refuse(s, m.t, m.known)

AskToWrite(m) ==
    LET s == Settle(db, "")
        f == Draw(s)
    IN IF s.w = m.t \/ (s.w = None /\ (Reads(s) = {} \/ ~ReadersExcludeWriter) /\ s.tw = <<>> /\ s.tr = {})
       THEN Reply([s EXCEPT !.w = m.t, !.wt = Lease, !.f = f, !.tw = Without(@, m.t)], "yes", f)
       ELSE Refuse(s, m.t, m.known)

Leave(s, t) == IF UndoTakesPlace THEN [s EXCEPT !.tw = Without(@, t), !.tr = @ \ {t}] ELSE s

Release(m) ==
    LET takes == m.op = "release" \/ UndoTakesGrant
        writes == Writes(m.t) /\ takes /\ (db.w = m.t \/ (~ComparesToken /\ db.w # None))
        reads == m.t \in Reads(db) /\ takes
        ended == IF writes THEN "w" ELSE IF reads THEN "r" ELSE ""
        s == IF writes THEN NoWriter(db)
             ELSE IF reads THEN [db EXCEPT !.rd = Only(@, Reads(db) \ {m.t})] ELSE db
        l == Leave(s, m.t)
    IN Reply(IF ended = "" /\ ~LeavingSettles THEN l ELSE Settle(l, ended), "yes", 0)

Renew(m) ==
    IF Writes(m.t)
    THEN IF db.w = m.t \/ (~RenewsOwnOnly /\ db.w = None)
         THEN Reply([db EXCEPT !.w = m.t, !.wt = Lease], "yes", 0)
         ELSE Reply(db, "no", 0)
    ELSE IF m.t \in Reads(db) /\ db.rd[m.t] > 0
    THEN Reply([db EXCEPT !.rd = [t \in DOMAIN @ |-> IF t = m.t \/ ~OwnLease THEN Lease ELSE @[t]]], "yes", 0)
    ELSE IF ~RenewsOwnOnly THEN Reply([db EXCEPT !.rd = (m.t :> Lease) @@ @], "yes", 0)
    ELSE Reply(db, "no", 0)

Run(m) ==
    CASE m.op = "ask" -> IF Writes(m.t) THEN AskToWrite(m) ELSE AskToRead(m)
      [] m.op = "renew" -> Renew(m)
      [] OTHER -> Release(m)

Request(op, c, within) == [op |-> op, t |-> cl[c].tok, within |-> within, known |-> cl[c].known]
Ask(c) == Request("ask", c, Within(cl[c].tok))
Send(c, m) == link' = [link EXCEPT ![c] = Append(@, m)]
Fault(kind) == kind \in Kinds /\ faults > 0 /\ faults' = faults - 1
Ended(c) == Idle(cl[c].turns, cl[c].a)

----------------------------------------------------------------------------
\* What clients do of themselves.

Start(c) ==
    /\ cl[c].ph = "idle" /\ cl[c].turns > 0
    /\ c \in Downgraders => cl[Master].ph = "hold"
    /\ LET s == [Idle(IF Loops THEN 1 ELSE cl[c].turns - 1, IF Loops THEN 1 ELSE cl[c].a + 1) EXCEPT
                    !.ph = "ask", !.left = Lease - Allowance]
           t == <<c, s.a>>
       IN /\ cl' = [cl EXCEPT ![c] = [s EXCEPT !.tok = t]]
          /\ Send(c, [op |-> "ask", t |-> t, within |-> Within(t), known |-> FALSE])
    /\ UNCHANGED <<db, deaf, stray, notes, faults, over, ghosts, late, last, top>>

\* No reply will come to the request of an asker: what it may have done is undone.
Undo(c) ==
    /\ cl[c].ph = "ask" /\ link[c] = <<>>
    /\ cl' = [cl EXCEPT ![c].ph = "undo", ![c].left = 0]
    /\ Send(c, Request("undo", c, None))
    /\ UNCHANGED <<db, deaf, stray, notes, faults, over, ghosts, late, last, top>>

\* A waiter asks again.  The model leaves out questions that would change nothing.
AskAgain(c) ==
    /\ cl[c].ph = "wait" /\ link[c] = <<>>
    /\ MayAsk \/ cl[c].told
    /\ LET r == Run(Ask(c)) IN cl[c].told \/ r.kind = "yes" \/ r.s # db
    /\ cl' = [cl EXCEPT ![c].ph = "ask", ![c].left = Lease - Allowance, ![c].told = FALSE]
    /\ Send(c, Ask(c))
    /\ UNCHANGED <<db, deaf, stray, notes, faults, over, ghosts, late, last, top>>

\* A timed wait ends.
GiveUp(c) ==
    /\ cl[c].ph = "wait" /\ Fault("leave")
    /\ cl' = [cl EXCEPT ![c].ph = "undo"]
    /\ Send(c, Request("undo", c, None))
    /\ UNCHANGED <<db, deaf, stray, notes, over, ghosts, late, last, top>>

RenewIt(c) ==
    /\ cl[c].ph = "hold" /\ cl[c].val > 0 /\ cl[c].left = 0 /\ cl[c].renewals < Renewals /\ link[c] = <<>>
    /\ cl' = [cl EXCEPT ![c].left = Lease - Allowance, ![c].renewals = @ + 1]
    /\ Send(c, Request("renew", c, None))
    /\ UNCHANGED <<db, deaf, stray, notes, faults, over, ghosts, late, last, top>>

\* A thread that asks for the other side is not about to release this one.
ReleaseIt(c) ==
    /\ cl[c].ph = "hold"
    /\ c = Master => \A d \in Downgraders : cl[d].ph \in {"idle", "hold", "release"}
    /\ cl' = [cl EXCEPT ![c].ph = "release", ![c].val = 0, ![c].left = 0]
    /\ Send(c, Request("release", c, None))
    /\ UNCHANGED <<db, deaf, stray, notes, faults, over, ghosts, late, last, top>>

\* No reply to a release or undo will come: it is repeated.
Repeat(c) ==
    /\ cl[c].ph \in {"release", "undo"} /\ link[c] = <<>>
    /\ Send(c, Request(cl[c].ph, c, None))
    /\ UNCHANGED <<db, deaf, cl, stray, notes, faults, over, ghosts, late, last, top>>

----------------------------------------------------------------------------
\* What clients do with replies and messages.

Holds(c, f, left) ==
    [Ended(c) EXCEPT !.ph = "hold", !.tok = cl[c].tok, !.val = left, !.f = f, !.broke = cl[c].broke]

\* A writer has a larger token than all before it, and a reader that of the last writer.
Began(c, f) ==
    last' = IF last = Broken \/ Loops THEN last
            ELSE IF f > last \/ (f = last /\ c \notin Writers) THEN f ELSE Broken

OnAsked(c, r) ==
    IF r.kind = "yes" /\ cl[c].left > 0
    THEN /\ cl' = [cl EXCEPT ![c] = Holds(c, r.f, cl[c].left)]
         /\ Began(c, r.f)
         /\ link' = [link EXCEPT ![c] = Tail(@)]
    ELSE IF r.kind = "yes"
    THEN /\ cl' = [cl EXCEPT ![c].ph = "undo"]
         /\ link' = [link EXCEPT ![c] = Append(Tail(@), Request("undo", c, None))]
         /\ UNCHANGED last
    ELSE /\ cl' = [cl EXCEPT ![c].ph = "wait", ![c].left = 0, ![c].known = @ \/ r.kind = "place"]
         /\ link' = [link EXCEPT ![c] = Tail(@)]
         /\ UNCHANGED last

OnReply(c, m, r) ==
    IF cl[c].tok # m.t \/ (m.op = "ask" /\ cl[c].ph # "ask") \/ (m.op = "renew" /\ cl[c].ph # "hold")
    THEN link' = [link EXCEPT ![c] = Tail(@)] /\ UNCHANGED <<cl, over, last>>
    ELSE IF m.op = "ask" THEN OnAsked(c, r) /\ UNCHANGED over
    ELSE /\ link' = [link EXCEPT ![c] = Tail(@)]
         /\ UNCHANGED last
         /\ IF m.op = "renew"
            THEN /\ cl' = [cl EXCEPT ![c].val = IF r.kind = "yes" THEN Max(@, cl[c].left) ELSE @, ![c].left = 0]
                 /\ UNCHANGED over
            ELSE /\ cl' = [cl EXCEPT ![c] = Ended(c)]
                 /\ over' = IF cl[c].broke \/ Loops THEN over ELSE over \cup {m.t}

\* One more if something is there; what has been seen often enough to break a promise is not counted on.
Count(n, S) == IF S = {} \/ n = 4 THEN n ELSE n + 1
Listed(s) == s.tr \cup {s.tw[i] : i \in 1..Len(s.tw)}

\* What a script has changed: who is told, and which phases have begun for those who wait.
Carry(m, s) ==
    LET w == IF s.w # None /\ s.w # db.w THEN {s.w} ELSE {}
        r == {t \in Reads(s) \ Reads(db) : ~(m.op = "ask" /\ t = m.t /\ m.within # None)}
        stay == Listed(db)
        waits == {cl[c].tok : c \in {d \in Writers : cl[d].ph \in {"ask", "wait"}}} \cup stay
        known == SelectSeq(order, LAMBDA t : t \in waits \ w)
        new == SelectSeq(s.tw, LAMBDA t : ~Has(known, t))
    IN /\ db' = s
       /\ notes' = IF MayAsk /\ MessageOnlyWakes /\ "note" \notin Kinds THEN {}
                   ELSE notes \cup {t \in w \cup r : t # m.t \/ m.op # "ask"}
       /\ seen' = [t \in Listed(s) |->
                      IF t \in stay THEN [w |-> Count(seen[t].w, w), r |-> Count(seen[t].r, r)]
                      ELSE [w |-> IF s.w # None THEN 1 ELSE 0, r |-> IF s.w = None /\ Reads(s) # {} THEN 1 ELSE 0]]
       /\ order' = known \o new
       /\ wrong' = wrong
              \cup (IF \E t \in w : \E u \in Listed(s) : Has(order, u) /\ (Has(order, t) => Earlier(u, t))
                    THEN {"overtaken"} ELSE {})
              \cup (IF \E t \in w \cup r : t[1] \in deaf /\ ~(m.op = "ask" /\ t = m.t) THEN {"dead"} ELSE {})
       /\ top' = Max(top, s.f)

\* The server carries out the next request of a connection, and the client has the reply.
Exec(c) ==
    /\ link[c] # <<>>
    /\ LET m == Head(link[c])
           r == Run(m)
       IN Carry(m, r.s) /\ OnReply(c, m, r)
    /\ UNCHANGED <<deaf, stray, faults, late>>

ExecUnanswered(c) ==
    /\ link[c] # <<>> /\ Fault("reply")
    /\ LET m == Head(link[c]) IN Carry(m, Run(m).s)
    /\ link' = [link EXCEPT ![c] = Tail(@)]
    /\ UNCHANGED <<deaf, cl, stray, over, late, last>>

HearNote(t) ==
    LET c == t[1]
    IN /\ notes' = notes \ {t}
       /\ IF cl[c].tok # t \/ cl[c].ph # "wait" THEN UNCHANGED <<cl, last>>
          ELSE IF MessageOnlyWakes \/ Writes(t) THEN cl' = [cl EXCEPT ![c].told = TRUE] /\ UNCHANGED last
          ELSE cl' = [cl EXCEPT ![c] = Holds(c, db.f, HandOverLease - Allowance)] /\ Began(c, db.f)
       /\ UNCHANGED <<db, deaf, link, stray, faults, over, ghosts, late, top>>

Hear == \E t \in notes : HearNote(t)

----------------------------------------------------------------------------
\* What goes wrong.

LoseNotes ==
    /\ Fault("note")
    /\ \E t \in notes : notes' = notes \ {t}
    /\ UNCHANGED <<db, deaf, cl, link, stray, over, ghosts, late, last, top>>

\* A connection is given up: what is on the way may arrive at any time later, or never.
Break(c) ==
    /\ link[c] # <<>> /\ Fault("break")
    /\ stray' = stray \o link[c]
    /\ link' = [link EXCEPT ![c] = <<>>]
    /\ cl' = [cl EXCEPT ![c].broke = TRUE]
    /\ UNCHANGED <<db, deaf, notes, over, ghosts, late, last, top>>

ExecStray ==
    /\ stray # <<>>
    /\ Carry(Head(stray), Run(Head(stray)).s)
    /\ stray' = Tail(stray)
    /\ UNCHANGED <<deaf, cl, link, faults, over, late, last>>

LoseStray ==
    /\ stray # <<>>
    /\ stray' = <<>>
    /\ UNCHANGED <<db, deaf, cl, link, notes, faults, over, ghosts, late, last, top>>

\* A process dies, with all that its thread holds.
Crash(c) ==
    /\ cl[c].ph \notin {"idle", "dead"} /\ Fault("crash")
    /\ LET dies == {c} \cup IF c = Master THEN Downgraders ELSE IF c \in Downgraders THEN {Master} ELSE {}
       IN cl' = [d \in Clients |-> IF d \in dies THEN [Idle(0, cl[d].a) EXCEPT !.ph = "dead"] ELSE cl[d]]
    /\ UNCHANGED <<db, deaf, link, stray, notes, over, ghosts, late, last, top>>

\* The server learns that nobody listens any more.
Notice(c) ==
    /\ cl[c].ph = "dead" /\ c \notin deaf /\ (db.w # None \/ Listed(db) # {})
    /\ deaf' = deaf \cup {c}
    /\ UNCHANGED <<db, cl, link, stray, notes, faults, over, ghosts, late, last, top>>

Cut(c) ==
    /\ cl[c].ph = "wait" /\ Fault("cut")
    /\ deaf' = deaf \cup {c}
    /\ UNCHANGED <<db, cl, link, stray, notes, over, ghosts, late, last, top>>

Listen(c) ==
    /\ c \in deaf /\ cl[c].ph # "dead"
    /\ deaf' = deaf \ {c}
    /\ UNCHANGED <<db, cl, link, stray, notes, faults, over, ghosts, late, last, top>>

\* The server restarts with its data: all connections are gone, those of subscriptions too.
Restart ==
    /\ Fault("restart")
    /\ link' = [c \in Clients |-> <<>>]
    /\ stray' = <<>>
    /\ notes' = {}
    /\ deaf' = {c \in Clients : cl[c].ph \in {"ask", "wait", "dead"}}
    /\ UNCHANGED <<db, cl, over, ghosts, late, last, top>>

\* Faults that are assumed not to happen: the data is lost, the clock of the server jumps, nobody asks for so long after
\* the last reader's lease that its trace is gone.
Forget ==
    /\ Fault("forget") /\ db # Empty
    /\ db' = Empty
    /\ seen' = Nobody
    /\ UNCHANGED <<deaf, cl, link, stray, notes, over, order, wrong, late, last, top>>

LoseTrace ==
    /\ Fault("trace") /\ db.w = None /\ Reads(db) # {} /\ \A t \in Reads(db) : db.rd[t] = 0
    /\ db' = [db EXCEPT !.rd = Nobody, !.mark = FALSE]
    /\ UNCHANGED <<deaf, cl, link, stray, notes, over, ghosts, late, last, top>>

\* The counter has lived its day.
LoseFence ==
    /\ db.f > 0 /\ Fault("fence") /\ \A c \in Clients : cl[c].ph # "hold"
    /\ db' = [db EXCEPT !.f = 0]
    /\ UNCHANGED <<deaf, cl, link, stray, notes, over, ghosts, late, last, top>>

Aged(s) ==
    LET a == [s EXCEPT !.rd = [t \in DOMAIN @ |-> Less(@[t])], !.wt = Less(@)]
    IN IF a.wt = 0 THEN NoWriter(a) ELSE a

Jump ==
    /\ Fault("jump") /\ (db.w # None \/ Reads(db) # {})
    /\ db' = Aged(db)
    /\ UNCHANGED <<deaf, cl, link, stray, notes, over, ghosts, late, last, top>>

\* Leases end early, by the drift of clocks.
Expire ==
    /\ Drift > 0
    /\ \/ db.w # None /\ db.wt <= Drift /\ db' = NoWriter(db)
       \/ \E t \in Reads(db) : db.rd[t] \in 1..Drift /\ db' = [db EXCEPT !.rd[t] = 0]
    /\ UNCHANGED <<deaf, cl, link, stray, notes, faults, over, ghosts, late, last, top>>

InDb(s, c) == (s.w # None /\ s.w[1] = c) \/ \E t \in Reads(s) : t[1] = c /\ s.rd[t] > 0

Tick ==
    /\ Timed
    /\ db.wt > 0 \/ (\E t \in Reads(db) : db.rd[t] > 0) \/ \E c \in Clients : cl[c].left > 0 \/ cl[c].val > 0
    /\ db' = Aged(db)
    /\ cl' = [c \in Clients |-> [cl[c] EXCEPT !.left = Less(@), !.val = Less(@)]]
    /\ late' = [c \in Clients |-> IF cl[c].ph = "dead" /\ link[c] = <<>> /\ stray = <<>> /\ InDb(db', c)
                                  THEN late[c] + 1 ELSE late[c]]
    /\ UNCHANGED <<deaf, link, stray, notes, faults, over, ghosts, last, top>>

Done(c) == cl[c].ph = "dead" \/ (cl[c].ph = "idle" /\ (cl[c].turns = 0 \/ c \in Downgraders))
AllDone == (\A c \in Clients : Done(c)) /\ UNCHANGED vars

Next ==
    \/ \E c \in Clients :
        \/ Start(c) \/ Undo(c) \/ AskAgain(c) \/ GiveUp(c) \/ RenewIt(c) \/ ReleaseIt(c) \/ Repeat(c)
        \/ Exec(c) \/ ExecUnanswered(c) \/ Break(c) \/ Crash(c) \/ Notice(c) \/ Cut(c) \/ Listen(c)
    \/ Hear \/ LoseNotes
    \/ ExecStray \/ LoseStray \/ Restart \/ Forget \/ LoseTrace \/ LoseFence \/ Jump \/ Expire \/ Tick
    \/ AllDone

\* Something goes on happening. No action but AllDone leaves everything as it is, and TLC finds states without any; this
\* is weak fairness of Next, without asking in each state whether it is enabled.
Spec == Init /\ [][Next]_vars /\ (<>[](\A c \in Clients : Done(c)) \/ []<><<vars' # vars>>_vars)

\* Whoever asks again and again: each client goes on when it can, and need not come back.
Goes(c) == cl[c].ph = "hold" \/ cl[c].told \/ link[c] # <<>>
Streams ==
    /\ Init /\ [][Next]_vars
    /\ \A c \in Clients :
        /\ []<>(~Goes(c)) \/ []<><<cl'[c] # cl[c] \/ link'[c] # link[c]>>_vars
        /\ []<>(<<c, 1>> \notin notes) \/ []<><<<<c, 1>> \notin notes'>>_vars

----------------------------------------------------------------------------
Valid(c) == cl[c].ph = "hold" /\ cl[c].val > 0
SameThread(c, d) == {c, d} \subseteq {Master} \cup Downgraders

\* No writer believes that it holds the lock while somebody else does.
Exclusion == \A c \in Writers, d \in Clients : Valid(c) /\ Valid(d) => c = d \/ SameThread(c, d)

\* Tokens grow from writer to writer, readers have that of the last writer, and nobody with an older one becomes valid
\* again.
TokensGrow == last # Broken /\ \A c \in Clients : Valid(c) /\ ~Loops => cl[c].f = last

\* A reader that waits sees one writer at most: the one that it finds, or the one that comes after the readers that it
\* finds.
OneWriterAtMost == \A t \in DOMAIN seen : Writes(t) \/ seen[t].w <= 1

\* A writer that waits sees one phase of reading before each writer, and one before itself.
OneReadingEach == \A t \in DOMAIN seen : ~Writes(t) \/ seen[t].r <= seen[t].w + 1

\* Writers come in the order of their arrival.
InOrder == "overtaken" \notin wrong

\* While somebody waits, a phase goes on whose end is their turn.
TurnComes ==
    /\ db.tw # <<>> => db.w # None \/ Reads(db) # {}
    /\ db.tr # {} => db.w # None \/ (Reads(db) # {} /\ db.tw # <<>>)

\* Whoever died holds a side for one lease at most.
DeadForOneLease == \A c \in Clients : late[c] < Lease

\* Nobody is granted a side of whom the server knows that it is gone.
NothingForTheDead == "dead" \notin wrong

\* Nothing is left behind by a token whose release or undo was confirmed.
NoGhost == (Listed(db) \cup Reads(db) \cup {db.w}) \cap over = {}

\* Every client is served, gives up, or crashes.
AllEnd == <>(\A c \in Clients : Done(c))

\* Whoever asks for a side gets it.
NobodyStarves == \A c \in Clients : cl[c].ph \in {"ask", "wait"} ~> cl[c].ph = "hold"

Symmetry == Permutations(Readers) \cup Permutations(Writers \ {Master})
Bound == Levels = 0 \/ TLCGet("level") < Levels
=============================================================================
