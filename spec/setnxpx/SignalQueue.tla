----------------------------- MODULE SignalQueue -----------------------------
(****************************************************************************)
(* One condition of a lock on one Redis server: those who wait for it, from *)
(* which a signal moves them to those who wait for the lock; and the record *)
(* of each signal, which stays until its waiter has released the lock.      *)
(* What each part stands for, and what is left out, is said in ../README.md *)
(****************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Waiters,
    Signaller,
    Signals,    \* how many signals are given
    Faults,     \* how many faults happen, of the kinds in Kinds
    Kinds       \* subset of {"reply", "note", "crash", "close", "time"}

\* The rules.  Each is TRUE in the algorithm; FALSE is a mutant.
CONSTANTS
    EntersAtRelease,    \* a waiter is entered by the script that releases its lock
    KeepsRecord,        \* a grant leaves the record of the signal
    HeldConfirms,       \* the release of a grant by which nobody has held the lock leaves the record
    AdoptKeeps,         \* so does a hold by another claim until its release
    CloseLeaves,        \* so does the end of a hold with its factory
    LeavingAsks,        \* whoever gives up stays if it was signalled
    LeavingPassesOn,    \* whoever leaves after a signal passes it on
    PassesOverDead,     \* whoever is known to be gone is granted nothing
    LooksAtRecords,     \* waiters pass on the signals of those who are gone
    LooksForItself      \* a waiter asks where it stands

VARIABLES
    db,         \* the server's data: word, list, cond, records, and which of these another claim has adopted; and
                \* whether it has granted the lock to one that it knew to be gone
    gone,       \* clients of which the server knows that they are gone
    cl,         \* what each waiter does
    boss,       \* what the signaller does
    notes,      \* messages to waiters
    undos,      \* waiters whose grant is to be given back because its reply was lost
    left,       \* signals that are still to be given
    given,      \* signals that were given while somebody waited
    acted,      \* signals whose waiter has held the lock, and released it
    passed,     \* waiters whose signal was passed on
    missed,     \* whether a signal has missed one that has released the lock to wait
    faults      \* how many faults may yet happen

vars == <<db, gone, cl, boss, notes, undos, left, given, acted, passed, missed, faults>>

None == <<>>
Own(c) == <<c, 0>>      \* the token by which it holds the lock before it waits
Claim(c) == <<c, 1>>    \* the token of the waiter
Fresh(c) == <<c, 2>>    \* the token by which it holds the lock otherwise: it has asked afresh, since it does not know
                        \* what has become of that one, or a thread of its client has handed the lock to it

Has(list, x) == \E i \in 1..Len(list) : list[i] = x
Without(list, x) == SelectSeq(list, LAMBDA y : y # x)

Init ==
    /\ db = [word |-> None, list |-> <<>>, cond |-> <<>>, records |-> {}, adopted |-> {}, wrong |-> FALSE]
    /\ gone = {}
    /\ cl = [c \in Waiters |-> "begin"]
    /\ boss = "begin"
    /\ notes = {}
    /\ undos = {}
    /\ left = Signals
    /\ given = 0
    /\ acted = 0
    /\ passed = {}
    /\ missed = FALSE
    /\ faults = Faults

----------------------------------------------------------------------------
\* The server's scripts: the state after them.

There(list) == IF PassesOverDead THEN SelectSeq(list, LAMBDA t : t[1] \notin gone) ELSE list

\* Grants a free lock to the first of those who wait and are there.
HandOver(s) ==
    LET l == There(s.list)
    IN IF s.word # None \/ l = <<>> THEN [s EXCEPT !.list = l]
       ELSE [s EXCEPT !.word = Head(l), !.list = Tail(l), !.wrong = @ \/ Head(l)[1] \in gone,
                      !.records = IF KeepsRecord THEN @ ELSE @ \ {Head(l)[1]}]

\* Gives back what a token holds: the lock, or its place.
Release(s, t) ==
    IF s.word = t THEN HandOver([s EXCEPT !.word = None]) ELSE [s EXCEPT !.list = Without(@, t)]

Told(s) == IF s.word # None /\ s.word # db.word THEN {s.word} ELSE {}

Acquire(s, t) ==
    LET l == There(s.list)
    IN IF s.word = t \/ (s.word = None /\ (l = <<>> \/ Head(l) = t))
       THEN [s EXCEPT !.word = t, !.list = Without(l, t)]
       ELSE HandOver([s EXCEPT !.list = IF Has(@, t) THEN @ ELSE Append(@, t)])

Pending(c) == IF c \in db.adopted THEN db.word = Fresh(c) ELSE Has(db.list, Claim(c)) \/ db.word = Claim(c)

WithoutRecord(s, c) == [s EXCEPT !.records = @ \ {c}, !.adopted = @ \ {c}]

\* Moves the first who waits for the condition and is there, if there is one.
MoveNext(s) ==
    LET l == SelectSeq(s.cond, LAMBDA c : c \notin gone)
    IN IF l = <<>> THEN [s EXCEPT !.cond = l]
       ELSE [s EXCEPT !.cond = Tail(l), !.list = Append(@, Claim(Head(l))), !.records = @ \cup {Head(l)}]

\* Passes the signal of a waiter on: its record is gone, and the next one has one, if anybody waits.
PassOn(s, c) ==
    LET r == [s EXCEPT !.list = Without(@, Claim(c))]
    IN IF c \notin r.records THEN r
       ELSE LET m == IF LeavingPassesOn \/ c \in gone THEN MoveNext(r) ELSE r
            IN WithoutRecord(m, c)

\* A signal that cannot be passed on because nobody is there is none.
WithoutHeirs(c) == c \in db.records /\ SelectSeq(db.cond, LAMBDA d : d \notin gone) = <<>>
NotePassed(c) ==
    /\ given' = IF WithoutHeirs(c) THEN given - 1 ELSE given
    /\ passed' = IF c \in db.records THEN passed \cup {c} ELSE passed

Fault(kind) == kind \in Kinds /\ faults > 0 /\ faults' = faults - 1

----------------------------------------------------------------------------
\* Before the wait.

Begin(c) ==
    /\ cl[c] = "begin" /\ db.word = None
    /\ db' = [db EXCEPT !.word = Own(c)]
    /\ cl' = [cl EXCEPT ![c] = "own"]
    /\ UNCHANGED <<gone, boss, notes, undos, left, given, acted, passed, missed, faults>>

\* The mutant is entered by a request of its own, after the release.
Await(c) ==
    /\ cl[c] \in {"own", "leaving"}
    /\ LET enters == EntersAtRelease \/ cl[c] = "leaving"
           s == Release(IF enters THEN [db EXCEPT !.cond = Append(@, c)] ELSE db, Own(c))
       IN /\ db' = s
          /\ notes' = notes \cup Told(s)
          /\ cl' = [cl EXCEPT ![c] = IF enters THEN "wait" ELSE "leaving"]
    /\ UNCHANGED <<gone, boss, undos, left, given, acted, passed, missed, faults>>

----------------------------------------------------------------------------
\* The signaller.

Take ==
    /\ boss = "begin" /\ db.word = None
    /\ \A c \in Waiters : cl[c] \notin {"begin", "own"}
    /\ db' = [db EXCEPT !.word = Own(Signaller)]
    /\ boss' = "hold"
    /\ UNCHANGED <<gone, cl, notes, undos, left, given, acted, passed, missed, faults>>

Signal ==
    /\ boss = "hold" /\ left > 0
    /\ left' = left - 1
    /\ LET s == MoveNext(db)
       IN /\ db' = s
          /\ given' = IF s.records # db.records THEN given + 1 ELSE given
          /\ missed' = (missed \/ (s.records = db.records /\ \E c \in Waiters : cl[c] = "leaving"))
    /\ UNCHANGED <<gone, cl, boss, notes, undos, acted, passed, faults>>

Unlock ==
    /\ boss = "hold" /\ left = 0
    /\ LET s == Release(db, Own(Signaller)) IN db' = s /\ notes' = notes \cup Told(s)
    /\ boss' = "done"
    /\ UNCHANGED <<gone, cl, undos, left, given, acted, passed, missed, faults>>

\* It is a thread of the same client as a waiter which has left its condition, and hands it the lock.
HandTo(c) ==
    /\ boss = "hold" /\ left = 0 /\ cl[c] = "told"
    /\ db' = [db EXCEPT !.word = Fresh(c)]
    /\ boss' = "done"
    /\ cl' = [cl EXCEPT ![c] = "fresh"]
    /\ UNCHANGED <<gone, notes, undos, left, given, acted, passed, missed, faults>>

BossCrashes ==
    /\ boss = "hold" /\ Fault("crash")
    /\ boss' = "dead"
    /\ UNCHANGED <<db, gone, cl, notes, undos, left, given, acted, passed, missed>>

----------------------------------------------------------------------------
\* The wait and its end.

Hear ==
    \E t \in notes :
        /\ notes' = notes \ {t}
        /\ cl' = IF t[2] = 1 /\ cl[t[1]] = "wait" THEN [cl EXCEPT ![t[1]] = "told"] ELSE cl
        /\ UNCHANGED <<db, gone, boss, undos, left, given, acted, passed, missed, faults>>

LoseNote ==
    \E t \in notes :
        /\ Fault("note")
        /\ notes' = notes \ {t}
        /\ UNCHANGED <<db, gone, cl, boss, undos, left, given, acted, passed, missed>>

\* The three things that a look does: here they are steps, which is more than the script allows.
LookPasses(c) ==
    /\ LooksAtRecords /\ cl[c] = "wait"
    /\ \E d \in db.records \ {c} :
        /\ ~Pending(d)
        /\ db' = PassOn(db, d)
        /\ NotePassed(d)
    /\ UNCHANGED <<gone, cl, boss, notes, undos, left, acted, missed, faults>>

LookHands(c) ==
    /\ cl[c] = "wait" /\ db.word = None /\ db.list # <<>>
    /\ LET s == HandOver(db) IN db' = s /\ notes' = notes \cup Told(s)
    /\ UNCHANGED <<gone, cl, boss, undos, left, given, acted, passed, missed, faults>>

LookSees(c) ==
    /\ LooksForItself /\ cl[c] = "wait" /\ ~Has(db.cond, c)
    /\ cl' = [cl EXCEPT ![c] = IF Pending(c) THEN "told" ELSE "spurious"]
    /\ UNCHANGED <<db, gone, boss, notes, undos, left, given, acted, passed, missed, faults>>

\* The time of the wait is over, or an interrupt has come.
GiveUp(c) ==
    /\ cl[c] = "wait" /\ Fault("time")
    /\ IF Has(db.cond, c) \/ ~LeavingAsks
       THEN /\ db' = [db EXCEPT !.cond = Without(@, c), !.list = Without(@, Claim(c)), !.records = @ \ {c}]
            /\ cl' = [cl EXCEPT ![c] = "left"]
       ELSE /\ cl' = [cl EXCEPT ![c] = IF Pending(c) THEN "told" ELSE "spurious"]
            /\ UNCHANGED db
    /\ UNCHANGED <<gone, boss, notes, undos, left, given, acted, passed, missed>>

Ask(c) ==
    /\ cl[c] = "told"
    /\ LET s == Acquire(db, Claim(c))
       IN /\ s # db \/ s.word = Claim(c)
          /\ db' = s
          /\ cl' = IF s.word = Claim(c) THEN [cl EXCEPT ![c] = "hold"] ELSE cl
          /\ notes' = notes \cup (Told(s) \ {Claim(c)})
    /\ UNCHANGED <<gone, boss, undos, left, given, acted, passed, missed, faults>>

AskUnanswered(c) ==
    /\ cl[c] = "told" /\ Fault("reply")
    /\ LET s == Acquire(db, Claim(c)) IN db' = s /\ notes' = notes \cup (Told(s) \ {Claim(c)})
    /\ cl' = [cl EXCEPT ![c] = "unknown"]
    /\ undos' = undos \cup {c}
    /\ UNCHANGED <<gone, boss, left, given, acted, passed, missed>>

Undo(c) ==
    /\ c \in undos
    /\ undos' = undos \ {c}
    /\ LET s == Release(IF ~HeldConfirms /\ db.word = Claim(c) THEN [db EXCEPT !.records = @ \ {c}] ELSE db, Claim(c))
       IN db' = s /\ notes' = notes \cup Told(s)
    /\ UNCHANGED <<gone, cl, boss, left, given, acted, passed, missed, faults>>

AskAfresh(c) ==
    /\ cl[c] \in {"unknown", "spurious"}
    /\ LET s == Acquire(db, Fresh(c))
       IN /\ s # db \/ s.word = Fresh(c)
          /\ db' = s
          /\ cl' = IF s.word = Fresh(c)
                   THEN [cl EXCEPT ![c] = IF @ = "unknown" THEN "fresh" ELSE "confirmed"] ELSE cl
          /\ notes' = notes \cup (Told(s) \ {Fresh(c)})
    /\ UNCHANGED <<gone, boss, undos, left, given, acted, passed, missed, faults>>

\* Whoever holds the lock by another claim gives that one the signal. The mutant confirms it at once.
Adopt(c) ==
    /\ cl[c] = "fresh"
    /\ LET had == c \in db.records
           r == CASE had /\ AdoptKeeps -> [db EXCEPT !.adopted = @ \cup {c}]
                  [] had /\ ~AdoptKeeps -> WithoutRecord(db, c)
                  [] OTHER -> db
           s == Release(r, Claim(c))
       IN /\ db' = s
          /\ notes' = notes \cup Told(s)
          /\ cl' = [cl EXCEPT ![c] = IF had THEN "adopted" ELSE "confirmed"]
    /\ UNCHANGED <<gone, boss, undos, left, given, acted, passed, missed, faults>>

ReleaseHeld(c) ==
    /\ cl[c] \in {"hold", "adopted", "confirmed"}
    /\ LET t == IF cl[c] = "hold" THEN Claim(c) ELSE Fresh(c)
           r == IF cl[c] = "confirmed" THEN db ELSE WithoutRecord(db, c)
           s == Release(r, t)
       IN db' = s /\ notes' = notes \cup Told(s)
    /\ acted' = IF cl[c] # "confirmed" /\ (c \in db.records \/ ~AdoptKeeps) THEN acted + 1 ELSE acted
    /\ cl' = [cl EXCEPT ![c] = "done"]
    /\ UNCHANGED <<gone, boss, undos, left, given, passed, missed, faults>>

----------------------------------------------------------------------------
\* Ends that come too soon.

Ended == {"done", "left", "closed", "dead"}

\* The factory is closed while the thread waits or asks: it leaves for good, and what it was granted is given back.
Close(c) ==
    /\ cl[c] \in {"wait", "told", "unknown"} /\ Fault("close")
    /\ IF Has(db.cond, c)
       THEN db' = [db EXCEPT !.cond = Without(@, c)] /\ UNCHANGED <<given, passed>>
       ELSE db' = PassOn(db, c) /\ NotePassed(c)
    /\ undos' = undos \cup {c}
    /\ cl' = [cl EXCEPT ![c] = "closed"]
    /\ UNCHANGED <<gone, boss, notes, left, acted, missed>>

\* It is closed while the thread holds the lock.
CloseHeld(c) ==
    /\ cl[c] \in {"hold", "fresh", "adopted"} /\ Fault("close")
    /\ LET t == IF cl[c] = "hold" THEN Claim(c) ELSE Fresh(c)
           s == Release(IF CloseLeaves THEN db ELSE WithoutRecord(db, c), t)
       IN db' = s /\ notes' = notes \cup Told(s)
    /\ cl' = [cl EXCEPT ![c] = "closed"]
    /\ UNCHANGED <<gone, boss, undos, left, given, acted, passed, missed>>

\* What was on its way to the server may arrive, or not.
Crash(c) ==
    /\ cl[c] \notin Ended \cup {"begin", "own"} /\ Fault("crash")
    /\ cl' = [cl EXCEPT ![c] = "dead"]
    /\ undos' \in {undos, undos \ {c}}
    /\ UNCHANGED <<db, gone, boss, notes, left, given, acted, passed, missed>>

Notice(c) ==
    /\ cl[c] \in {"closed", "dead"} /\ c \notin gone
    /\ gone' = gone \cup {c}
    /\ UNCHANGED <<db, cl, boss, notes, undos, left, given, acted, passed, missed, faults>>

\* The lease of somebody who is gone, or of one who has not heard of it for as long.
Expire ==
    /\ \/ db.word = Own(Signaller) /\ boss = "dead"
       \/ \E c \in Waiters : db.word \in {Claim(c), Fresh(c)} /\ cl[c] \in Ended \cup {"unknown"} /\ c \notin undos
    /\ db' = [db EXCEPT !.word = None]
    /\ UNCHANGED <<gone, cl, boss, notes, undos, left, given, acted, passed, missed, faults>>

AllDone ==
    /\ boss \in {"done", "dead"} /\ notes = {} /\ undos = {}
    /\ \A c \in Waiters : cl[c] \in Ended \/ (cl[c] = "wait" /\ Has(db.cond, c) /\ db.records = {})
    /\ UNCHANGED vars

Next ==
    \/ \E c \in Waiters :
        \/ Begin(c) \/ Await(c) \/ LookPasses(c) \/ LookHands(c) \/ LookSees(c) \/ GiveUp(c)
        \/ Ask(c) \/ AskUnanswered(c) \/ Undo(c) \/ AskAfresh(c) \/ Adopt(c) \/ HandTo(c) \/ ReleaseHeld(c)
        \/ Close(c) \/ CloseHeld(c) \/ Crash(c) \/ Notice(c)
    \/ Take \/ Signal \/ Unlock \/ BossCrashes \/ Hear \/ LoseNote \/ Expire
    \/ AllDone

\* Each process that lives goes on: whoever holds the lock to wait, or waits, or has heard; whoever signals; the server.
\* Nobody need begin to wait, and a message may take for ever.
GoesOn(c) ==
    \/ Await(c) \/ LookPasses(c) \/ LookHands(c) \/ LookSees(c)
    \/ Ask(c) \/ Undo(c) \/ AskAfresh(c) \/ Adopt(c) \/ ReleaseHeld(c)
Fair ==
    /\ Init /\ [][Next]_vars
    /\ \A c \in Waiters : WF_vars(GoesOn(c))
    /\ WF_vars(Signal \/ Unlock)
    /\ WF_vars(Expire \/ \E c \in Waiters : Notice(c))

----------------------------------------------------------------------------
\* Those who know that they were signalled, and are about to act on it.
Acting == {c \in Waiters : cl[c] \in {"told", "unknown", "hold", "fresh", "adopted"}} \ passed

\* Each signal has done its work, or is kept, or is in the hands of a living waiter.
NoSignalLost == given <= acted + Cardinality(db.records \cup Acting)

\* Whoever has released the lock to wait is there for the next signal.
NoneMissed == ~missed

\* Without faults a signal wakes one waiter and no more.
OneEach == Cardinality({c \in Waiters : cl[c] \in {"told", "hold", "done"}}) <= given

\* The lock is granted to nobody of whom the server knows that it is gone.
NothingForTheDead == ~db.wrong

\* Every wait that was signalled ends.
WaitsEnd == \A c \in Waiters : (c \in db.records) ~> (cl[c] \in Ended)

\* In the end, each signal has woken one who has held the lock and released it, or nobody is left to be woken.
SignalsArrive == <>[](given <= acted \/ db.cond = <<>>)

Symmetry == Permutations(Waiters)
=============================================================================
