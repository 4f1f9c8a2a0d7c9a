----------------------------- MODULE JointQuorum -----------------------------
(****************************************************************************)
(* One lock on independent Redis nodes, whose list is changed while clients *)
(* use it.  Each node keeps the configuration that it knows; while a change *)
(* is under way, a vote needs a majority of the old and of the new list.    *)
(* What each part stands for, and what is left out, is said in ../README.md *)
(*                                                                          *)
(* All times are relative: how many ticks are left.                         *)
(****************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    n1, n2, n3, n4, n5, c1, c2,
    Nodes,          \* its members
    Clients,
    Holder,         \* the client that holds the lock in the beginning; it may be none of them
    Held,           \* the sets of nodes by one of which it does
    Reach1, Reach2, \* the nodes that the first and the second client reach
    Askers,         \* the clients that ask for the lock once
    Steady,         \* those of them that ask again and again, and whose requests take less time than a lease
    Operators,      \* the changes that are ordered: "replace", "rival" at the same time, "next" after "replace",
                    \* "behind" where the new list was founded before
    Lease,          \* ticks that a node keeps a key; no lease is longer
    Renewals,       \* how many rounds of renewal the holder makes
    Faults,         \* how many faults happen, of the kinds in Kinds
    Kinds,          \* subset of {"reply", "crash", "forget"}
    Forgetful,      \* the nodes that may restart without data
    Gone,           \* nodes that never answer; the operators know that
    Levels,         \* how many steps are explored; 0 for all
    Ahead,          \* clients whose configuration file has the new list before any node knows of it
    Founders,       \* such clients that have just founded that list anew, on nodes that had lost their data
    Apart           \* clients whose configuration file has a list of two other nodes and one of the first list

\* The rules.  Each is TRUE in the algorithm; FALSE is a mutant.
CONSTANTS
    JointPhase,             \* between two lists there is a phase in which both count
    OldListCounts,          \* in which a majority of the old list is needed
    NewListCounts,          \* and one of the new list
    VoteChecksRevision,     \* a node that knows a newer configuration gives no vote, but tells it
    RenewalChecksRevision,  \* nor does it confirm a renewal
    NewestListDecides,      \* votes are counted by the newest list that the client knows, not by that of the beginning
    NodesDecide,            \* a list in a configuration file is where to ask, not who votes
    MajorityTold,           \* the wait for old leases begins when a majority of the old list knows the joint phase
    TellsAll,               \* ... and in fact all of it do
    WaitsForLeases,         \* the new list counts alone only when no lease of the old one can be left
    WaitRestarts,           \* an operator who goes on after a crash waits anew
    FirstComes,             \* a node keeps the first of two configurations of one revision
    FoundedIsNotDone,       \* a new list that was founded, and not changed to, is changed to all the same
    FreshIndexes,           \* then no node gets an index that another node has in the other list
    RoundsEnd,              \* a round that is too late has failed, and its client asks again
    RefusalTells,           \* a client that is refused for a newer configuration learns it
    GoesOn,                 \* an operator goes on with the joint phase that it finds
    SkipsGone,              \* it waits for no node of which it knows that it is gone
    BirthGuard              \* a node that has forgotten gives no vote until no lease can be left

VARIABLES
    node,       \* of each node: cfg, key, ttl, mute
    cl,         \* of each client: what it does and knows
    op,         \* of each operator: what it does and knows
    faults      \* how many faults may yet happen

vars == <<node, cl, op, faults>>

None == <<>>
Unknown == 99
Less(t) == IF t > 0 THEN t - 1 ELSE 0

\* The lists, and the configurations: stable ones, and joint ones between them.
First == {n1, n2, n3}
Second == {n1, n2, n4}
Other == {n1, n3, n5}
Third == {n1, n4, n5}
Strange == {n2, n4, n5}
OldOf(k) ==
    CASE k = 0 -> First [] k \in {2, 5, 7} -> Second [] k = 4 -> Other [] k = 6 -> Third [] k = 8 -> Strange
      [] OTHER -> First
NewOf(k) ==
    CASE k = 0 -> First [] k \in {3, 4} -> Other [] k \in {5, 6} -> Third [] k = 8 -> Strange [] OTHER -> Second
\* A list that shares no node which remembers with the first one is a cluster of its own, and has no rank here.
Revision(k) ==
    CASE k \in {Unknown, 8} -> -1 [] k = 7 -> 0 [] k = 3 -> 1 [] k = 4 -> 2 [] k = 5 -> 3 [] k = 6 -> 4 [] OTHER -> k
Newer(j, k) == Revision(j) > Revision(k)
Members(k) == OldOf(k) \cup NewOf(k)
Stable(k) == OldOf(k) = NewOf(k)

Plan(o) ==
    CASE o = "replace" -> [from |-> 0, joint |-> 1, to |-> 2, old |-> First, new |-> Second]
      [] o = "rival" -> [from |-> 0, joint |-> 3, to |-> 4, old |-> First, new |-> Other]
      [] o = "behind" -> [from |-> 7, joint |-> 1, to |-> 2, old |-> First, new |-> Second]
      [] o = "next" -> [from |-> 2, joint |-> 5, to |-> 6, old |-> Second, new |-> Third]

Majority(s, list) == 2 * Cardinality(s \cap list) > Cardinality(list)
Enough(s, k) ==
    /\ Majority(s, OldOf(k)) \/ (~OldListCounts /\ ~Stable(k))
    /\ Majority(s, NewOf(k)) \/ (~NewListCounts /\ ~Stable(k))

Idle(cfg, a, r) == [cfg |-> cfg, ph |-> "idle", began |-> 0, yes |-> {}, left |-> 0, val |-> 0, a |-> a, r |-> r]
Token(c) == <<c, cl[c].a>>

\* The list that was founded anew is on nodes that have just been born.
Born(n) == Founders # {} /\ n \in Second

Init ==
    /\ \E q \in Held :
        node = [n \in Nodes |->
          IF Born(n)
          THEN [cfg |-> 7, key |-> None, ttl |-> 0, mute |-> IF BirthGuard THEN Lease ELSE 0]
          ELSE
            [cfg |-> IF n \in First THEN 0 ELSE Unknown, key |-> IF n \in q THEN <<Holder, 0>> ELSE None,
             ttl |-> IF n \in q THEN Lease ELSE 0, mute |-> 0]]
    /\ cl = [c \in Clients |->
            IF c = Holder
            THEN [Idle(0, 0, Renewals) EXCEPT !.ph = "hold", !.val = Lease]
            ELSE Idle(IF c \in Founders THEN 7 ELSE IF c \in Apart THEN 8
                      ELSE IF c \in Ahead /\ ~NodesDecide THEN 2 ELSE 0, 0, 0)]
    /\ op = [o \in Operators |-> [ph |-> "idle", told |-> {}, wait |-> 0]]
    /\ faults = Faults

Fault(kind) == kind \in Kinds /\ faults > 0 /\ faults' = faults - 1

----------------------------------------------------------------------------
\* Clients.

Reaches(c, n) == n \notin Gone /\ n \in (IF c = c1 THEN Reach1 ELSE Reach2)

Start(c) ==
    /\ cl[c].ph = "idle" /\ c \in Askers /\ (cl[c].a = 0 \/ c \in Steady)
    /\ cl' = [cl EXCEPT ![c].ph = "round", ![c].began = cl[c].cfg, ![c].yes = {}, ![c].left = Lease, ![c].a = 1]
    /\ UNCHANGED <<node, op, faults>>

\* A client founds the list of its configuration file, since none of its nodes knows another one.
Found(c) ==
    /\ c \in Apart /\ cl[c].cfg = 8 /\ \A n \in Strange : Reaches(c, n) /\ node[n].cfg = Unknown
    /\ node' = [n \in Nodes |-> IF n \notin Strange THEN node[n]
                               ELSE [node[n] EXCEPT !.cfg = 8, !.mute = IF BirthGuard THEN Lease ELSE 0]]
    /\ UNCHANGED <<cl, op, faults>>

\* A holder asks for more time.
Extend(c) ==
    /\ cl[c].ph = "hold" /\ cl[c].val > 0 /\ cl[c].left = 0 /\ cl[c].r > 0
    /\ cl' = [cl EXCEPT ![c].yes = {}, ![c].left = Lease, ![c].r = @ - 1, ![c].began = cl[c].cfg]
    /\ UNCHANGED <<node, op, faults>>

\* Whether a client takes the node that has left for the one that has joined.
Mistakes(c) == ~FreshIndexes /\ c \notin Founders
Counted(c) == IF Mistakes(c) THEN {IF n = n3 /\ n3 \notin OldOf(cl[c].cfg) THEN n4 ELSE n : n \in cl[c].yes} ELSE cl[c].yes

Asks(c, n) ==
    /\ Reaches(c, n) /\ cl[c].left > 0 /\ n \notin cl[c].yes
    /\ cl[c].ph \in {"round", "hold"} /\ n \in Members(cl[c].cfg) \cup (IF Mistakes(c) THEN {n3} ELSE {})

\* A node that knows a newer configuration does nothing else but tell it.
Checks(c) == IF cl[c].ph = "round" THEN VoteChecksRevision ELSE RenewalChecksRevision
IsToldBy(c, n) ==
    /\ RefusalTells
    /\ Reaches(c, n) /\ n \in Members(cl[c].cfg) /\ Newer(node[n].cfg, cl[c].cfg)
    /\ cl' = [cl EXCEPT ![c].cfg = node[n].cfg]
    /\ UNCHANGED <<node, op, faults>>

\* Whether a node counts a client's request as one of its own configuration, which it takes over if it is newer.
Agrees(c, n) ==
    \/ Newer(cl[c].cfg, node[n].cfg)
    \/ cl[c].cfg = node[n].cfg
    \/ ~Checks(c)
    \/ ~FirstComes /\ ~Newer(node[n].cfg, cl[c].cfg)
After(c, n) == IF Newer(node[n].cfg, cl[c].cfg) THEN node[n].cfg ELSE cl[c].cfg

\* A node carries a request out, and learns the configuration then or later.  The reply may be lost.
Answers(c, n, learns) ==
    /\ Asks(c, n) /\ Agrees(c, n) /\ ~(Checks(c) /\ Newer(node[n].cfg, cl[c].cfg))
    /\ learns \/ node[n].cfg # Unknown
    /\ LET s == [node[n] EXCEPT !.cfg = IF learns THEN After(c, n) ELSE @]
           t == Token(c)
           grants == cl[c].ph = "round" /\ s.mute = 0 /\ s.key \in {None, t}
           renews == cl[c].ph = "hold" /\ s.key = t
           yes == [cl EXCEPT ![c].yes = @ \cup {n}]
       IN /\ node' = [node EXCEPT ![n] = IF grants \/ renews THEN [s EXCEPT !.key = t, !.ttl = Lease] ELSE s]
          /\ node'[n] # node[n] \/ grants \/ renews
          /\ \/ /\ cl' = (IF grants \/ renews THEN yes ELSE cl)
                /\ UNCHANGED faults
             \/ /\ grants \/ renews
                /\ Fault("reply")
                /\ UNCHANGED cl
    /\ UNCHANGED op

\* The client counts.  Votes that were given under an older configuration count under a newer one.
Counts(c) ==
    LET k == IF NewestListDecides THEN cl[c].cfg ELSE cl[c].began
    IN /\ cl[c].ph \in {"round", "hold"} /\ cl[c].left > 0 /\ Enough(Counted(c), k)
       /\ cl' = [cl EXCEPT ![c].ph = "hold", ![c].val = cl[c].left, ![c].left = 0]
       /\ UNCHANGED <<node, op, faults>>

\* A holder that was confirmed puts its key where it is missing, since members of a new list never had it.
Restores(c, n) ==
    /\ cl[c].ph = "hold" /\ Reaches(c, n) /\ n \in Members(cl[c].cfg)
    /\ node[n].cfg = cl[c].cfg /\ node[n].key = None /\ c = Holder /\ Renewals > 0
    /\ node' = [node EXCEPT ![n].key = Token(c), ![n].ttl = Lease]
    /\ UNCHANGED <<cl, op, faults>>

\* A round that is too late has failed; a holder whose time is over has lost the lock.
Ends(c) ==
    /\ (RoundsEnd /\ cl[c].ph = "round" /\ cl[c].left = 0) \/ (cl[c].ph = "hold" /\ cl[c].val = 0)
    /\ cl' = [cl EXCEPT ![c] = Idle(@.cfg, @.a, @.r)]
    /\ UNCHANGED <<node, op, faults>>

----------------------------------------------------------------------------
\* Operators.

Begin(o) ==
    LET p == Plan(o)
        seen == {node[n].cfg : n \in p.old \ Gone}
    IN /\ op[o].ph = "idle" /\ seen \cap (IF GoesOn THEN {p.from, p.joint, p.to} ELSE {p.from}) # {}
       /\ op' = [op EXCEPT ![o].ph =
            IF p.from = 7 /\ ~FoundedIsNotDone THEN "done" ELSE
            IF p.to \in seen THEN "end" ELSE
            IF ~JointPhase \/ (~WaitRestarts /\ p.joint \in seen) THEN "end" ELSE "tell"]
       /\ UNCHANGED <<node, cl, faults>>

\* The old list learns the joint configuration.
Tell(o, n) ==
    LET p == Plan(o)
        takes == Newer(p.joint, node[n].cfg) \/ (~FirstComes /\ Revision(p.joint) = Revision(node[n].cfg))
    IN /\ op[o].ph = "tell" /\ n \in p.old \ (Gone \cup op[o].told)
       /\ takes \/ node[n].cfg = p.joint
       /\ node' = [node EXCEPT ![n].cfg = p.joint]
       /\ op' = [op EXCEPT ![o].told = @ \cup {n}]
       /\ UNCHANGED <<cl, faults>>

Awaited(p) == IF SkipsGone THEN p.old \ Gone ELSE p.old
Wait(o) ==
    LET p == Plan(o)
        told == op[o].told
    IN /\ op[o].ph = "tell"
       /\ IF MajorityTold THEN Majority(told, p.old) /\ (TellsAll => Awaited(p) \subseteq told) ELSE told # {}
       /\ op' = [op EXCEPT ![o] = [ph |-> "wait", told |-> {}, wait |-> IF WaitsForLeases THEN Lease ELSE 0]]
       /\ UNCHANGED <<node, cl, faults>>

End(o) ==
    /\ op[o].ph = "wait" /\ op[o].wait = 0
    /\ op' = [op EXCEPT ![o].ph = "end"]
    /\ UNCHANGED <<node, cl, faults>>

\* The new list is there before this command has published it: the command fails, and given again, it only tells nodes.
Overtaken(o) ==
    /\ op[o].ph \in {"tell", "wait"} /\ \E n \in Plan(o).old \ Gone : node[n].cfg = Plan(o).to
    /\ op' = [op EXCEPT ![o] = [ph |-> "end", told |-> {}, wait |-> 0]]
    /\ UNCHANGED <<node, cl, faults>>

\* The new list counts alone: one node that knows is enough, the others hear of it from clients.
Publish(o, n) ==
    LET p == Plan(o)
    IN /\ op[o].ph = "end" /\ n \in p.new \ Gone /\ Newer(p.to, node[n].cfg)
       /\ node' = [node EXCEPT ![n].cfg = p.to]
       /\ UNCHANGED <<cl, op, faults>>

\* The command ends well when a majority of the new list knows that it counts alone.
Finish(o) ==
    LET p == Plan(o)
    IN /\ o = "behind" /\ op[o].ph = "end" /\ Majority({n \in Nodes : node[n].cfg = p.to}, p.new)
       /\ op' = [op EXCEPT ![o].ph = "done"]
       /\ UNCHANGED <<node, cl, faults>>

\* The command ends in the middle, and is given again.
Crash(o) ==
    /\ op[o].ph # "idle" /\ Fault("crash")
    /\ op' = [op EXCEPT ![o] = [ph |-> "idle", told |-> {}, wait |-> 0]]
    /\ UNCHANGED <<node, cl>>

----------------------------------------------------------------------------
\* A node restarts without its data.
Forget(n) ==
    /\ n \in Forgetful \ Gone /\ node[n].cfg # Unknown /\ Fault("forget")
    /\ node' = [node EXCEPT ![n] = [cfg |-> Unknown, key |-> None, ttl |-> 0, mute |-> IF BirthGuard THEN Lease ELSE 0]]
    /\ UNCHANGED <<cl, op>>

\* Whether a client has something to do, or a node for it.
Busy(c) == ENABLED (Counts(c) \/ \E n \in Nodes : IsToldBy(c, n) \/ Answers(c, n, TRUE))

Tick ==
    /\ \A c \in Steady : ~Busy(c)
    /\ node' = [n \in Nodes |->
         LET s == [node[n] EXCEPT !.ttl = Less(@), !.mute = Less(@)]
         IN IF s.ttl = 0 THEN [s EXCEPT !.key = None] ELSE s]
    /\ cl' = [c \in Clients |-> [cl[c] EXCEPT !.left = Less(@), !.val = Less(@)]]
    /\ op' = [o \in Operators |-> [op[o] EXCEPT !.wait = Less(@)]]
    /\ UNCHANGED faults

Next ==
    \/ \E c \in Clients :
        \/ Start(c) \/ Found(c) \/ Extend(c) \/ Counts(c) \/ Ends(c)
        \/ \E n \in Nodes : IsToldBy(c, n) \/ Answers(c, n, TRUE) \/ Answers(c, n, FALSE) \/ Restores(c, n)
    \/ \E o \in Operators :
        \/ Begin(o) \/ Wait(o) \/ Overtaken(o) \/ End(o) \/ Finish(o) \/ Crash(o)
        \/ \E n \in Nodes : Tell(o, n) \/ Publish(o, n)
    \/ \E n \in Nodes : Forget(n)
    \/ Tick

\* Time goes on, and so does each operator, and each client that asks; any of them may take as long as it likes.
Operates(o) == Begin(o) \/ Wait(o) \/ Overtaken(o) \/ End(o) \/ \E n \in Nodes : Tell(o, n) \/ Publish(o, n)
GoesAhead(c) ==
    \/ Start(c) \/ Counts(c) \/ Ends(c)
    \/ \E n \in Nodes : IsToldBy(c, n) \/ Answers(c, n, TRUE)
Fair ==
    /\ Init /\ [][Next]_vars /\ WF_vars(Tick)
    /\ \A o \in Operators : WF_vars(Operates(o))
    /\ \A c \in Askers : WF_vars(GoesAhead(c))

----------------------------------------------------------------------------
Valid(c) == cl[c].ph = "hold" /\ cl[c].val > 0

\* At most one client believes that it holds the lock.
OneHolder == \A c, d \in Clients : Valid(c) /\ Valid(d) => c = d

\* No two changes of one list are ever carried through.
OneSuccessor == ~ \E m, n \in Nodes : node[m].cfg = 2 /\ node[n].cfg = 4

\* Who has the old list learns the new one from the nodes of both, once the command has ended.
NewListIsLater == \A o \in Operators : op[o].ph = "done" => \E n \in First \cap Second : Revision(node[n].cfg) > 0

\* A change that was begun ends: a majority of the new list, of three nodes, knows that it counts alone.
ChangesEnd ==
    \A o \in Operators :
        (op[o].ph # "idle") ~>
            (\E m, n \in Plan(o).new : m # n /\ node[m].cfg = Plan(o).to /\ node[n].cfg = Plan(o).to)

\* Each attempt ends, with the lock or without.
AttemptsEnd == \A c \in Askers : (cl[c].ph = "round") ~> (cl[c].ph # "round")

\* Whoever asks again and again holds the lock again and again.
Served == \A c \in Steady : []<>Valid(c)

Bound == Levels = 0 \/ TLCGet("level") < Levels
=============================================================================
