------------------------------ MODULE LeadQueue ------------------------------
(****************************************************************************)
(* One lock on several independent Redis nodes, with a queue at one of      *)
(* them, the lead, and with leases that are passed from owner to owner.     *)
(* What each part stands for, and what is left out, is said in ../README.md *)
(*                                                                          *)
(* All times are relative: how many ticks are left.  A tick lowers all of   *)
(* them, so that no clock has to be bounded.                                *)
(****************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Nodes,
    Home, Second, Third, \* its members; Home is the lead of the beginning
    Clients,
    Leads,          \* the nodes that clients may take for the lead; two of them are two leads at once
    Lease,          \* ticks that a node keeps a key
    Drift,          \* a node may drop a key so many ticks early
    Allowance,      \* ticks that a client subtracts from what it was promised
    MaxHops,        \* after so many hops, the next hand-off is a full round
    Block,          \* fencing tokens that a root reserves
    Turns,          \* how often each client asks for the lock
    Attempts,       \* owner tokens that each client may draw
    Renewals,       \* renewals of one owner
    Faults,         \* how many faults happen, of the kinds in Kinds
    Queued,         \* clients that wait from the beginning while Holder holds; {} for a beginning with nothing
    Holder,
    Uneven,         \* whether the holder's last renewal has reached the lead only
    Overtaken,      \* whether the holder has only the others, and the lead has granted the lock to the first who waits
    Again,          \* how many more tokens those who are queued at the beginning may draw
    Endless,        \* whether leases have no end: then every waiter must be told, or ask, in time
    Undone,         \* whether the undo of a waiter's first round is still on the way to the third node
    Kinds,          \* subset of {"reply", "note", "break", "resend", "restart", "crash", "leave"}, and of
                    \* {"jump", "evict", "failover", "rollback"}, which are assumed not to happen
    Aliased,        \* clients whose endpoint of node 3 leads to node 2
    Levels,         \* how many steps are explored; 0 for all
    ClockAhead      \* whether clients' clocks are ahead of all counters, which they need be only after a restart

\* The rules.  Each is TRUE in the algorithm; FALSE is a mutant.
CONSTANTS
    BirthGuard,             \* a node that restarted empty gives no vote until no lease can be left
    NeverDelAfterPass,      \* an owner whose PASS has no known outcome deletes nothing
    HopChecked,             \* the lead carries out a PASS only for the hop that it is at
    OwnDeadline,            \* the deadline comes from the majority's round, not from the PTTL of the lead's key
    DeadlineIsInstant,      \* it is a point in time, not a time to live that begins when the PASS arrives
    DeadlineFromRequest,    \* it counts from when the round was sent, not from when the lead carried it out
    FreshClaim,             \* a claim in the queue has another token than the round that was undone
    PredecessorGaveUp,      \* only a release names a predecessor, the expiry of its key does not
    PassGivesUp,            \* an owner stops before it sends PASS
    StandsBack,             \* a waiter whom the lead granted what a majority refuses goes back to its place in one step
    BackOnce,               \* it does so once, even if its request arrives twice
    TellsOvertaken,         \* a release that finds no key at the lead grants the lock to the head of the queue
    NotesRelease,           \* one that finds the key of a waiter there is remembered, in case the waiter goes back
    DistinctVotes,          \* votes count by the process that gave them, not by endpoint
    MayAsk                  \* a waiter asks again, also if it has no reason to do so soon

VARIABLES
    node,       \* of each node: key, ttl, pred, fence, mute, list, hop, whether a release has passed by the key, and an
                \* earlier state of all this, which its replica has, or an image of its machine
    cl,         \* of each client: what it does and knows
    link,       \* of each client and endpoint: requests on the connection, in order
    stray,      \* of each node: requests of abandoned connections
    notes,      \* messages to waiters
    faults,     \* how many faults may yet happen
    dead,       \* roots whose owner has sent DEL
    last,       \* the last fencing token of a holder; Broken if they did not grow
    top         \* the largest fencing token that was reserved

vars == <<node, cl, link, stray, notes, faults, dead, last, top>>

Majority == 2
Nowhere == "nowhere"
None == <<>>
Broken == 99

Max(a, b) == IF a > b THEN a ELSE b
Less(t) == IF t > 0 THEN t - 1 ELSE 0
Process(c, e) == IF c \in Aliased /\ e = Third THEN Second ELSE e
Votes(c, es) == IF DistinctVotes THEN Cardinality({Process(c, e) : e \in es}) ELSE Cardinality(es)
Has(list, x) == \E i \in 1..Len(list) : list[i] = x
Without(list, x) == SelectSeq(list, LAMBDA y : y # x)

NoHop == [no |-> 0, claim |-> None, left |-> 0, f |-> 0]
NoData == [key |-> None, ttl |-> 0, pred |-> None, fence |-> 0, list |-> <<>>, hop |-> NoHop, by |-> FALSE]
Empty == [key |-> None, ttl |-> 0, pred |-> None, fence |-> 0, mute |-> 0, list |-> <<>>, hop |-> NoHop,
          by |-> FALSE, copy |-> NoData]
Idle(turns, a) ==
    [ph |-> "idle", tok |-> None, claim |-> None, lead |-> Home, got |-> {}, no |-> {}, odd |-> FALSE, left |-> 0,
     passable |-> 0, val |-> 0, dl |-> 0, hop |-> 0, f |-> 0, renewals |-> 0, resent |-> FALSE,
     soon |-> FALSE, rival |-> None,
     turns |-> turns, a |-> a]

Request(op, t) == [op |-> op, t |-> t, pred |-> None, q |-> None, no |-> 0, left |-> 0, sent |-> 0, f |-> 0]

----------------------------------------------------------------------------
\* The scripts of a node: each takes the node's state and a request, and gives the state after it, the reply, and notes.

Reply(s, kind) == [s |-> s, kind |-> kind, root |-> None, pred |-> None, no |-> 0, left |-> 0, f |-> 0, notes |-> {}]

Offer(s, least) == IF Block = 0 THEN 0 ELSE Max(s.fence + 1, least)
Time == IF ClockAhead THEN top + 1 ELSE 0
Mine(s) == IF Block = 0 THEN 0 ELSE Max(s.fence - Block + 1, 0)
Following(f) == IF Block = 0 THEN 0 ELSE f + 1
Keep(s, f) == IF Block = 0 THEN 0 ELSE Max(s.fence, f + Block - 1)

\* The head of the queue has the lead's key now, and is told whose keys it may replace elsewhere.
GrantHead(s, n, pred) ==
    LET w == Head(s.list)
        f == Offer(s, Time)
    IN [s |-> [s EXCEPT !.key = w, !.ttl = Lease, !.hop = NoHop, !.pred = pred, !.fence = Keep(s, f),
                        !.list = Tail(@), !.by = FALSE],
        notes |-> {[kind |-> "first", to |-> w, root |-> w, pred |-> pred, no |-> 0, left |-> Lease - Allowance,
                    f |-> f, lead |-> n, own |-> FALSE]}]

Nobodys(s) == [s EXCEPT !.key = None, !.ttl = 0, !.hop = NoHop, !.pred = None, !.by = FALSE]

\* The same with a reply, for whoever made the key vanish.
Freed(s, n, pred) ==
    IF s.list = <<>>
    THEN Reply(Nobodys(s), "done")
    ELSE LET g == GrantHead(s, n, pred) IN [Reply(g.s, "done") EXCEPT !.notes = g.notes]

Enter(s, q) == IF q = None \/ Has(s.list, q) THEN s ELSE [s EXCEPT !.list = Append(s.list, q)]

Acquire(s, n, m) ==
    IF s.mute > 0 THEN Reply(s, "no")
    ELSE IF s.key = m.t \/ (s.key = None /\ s.list = <<>>) \/ (s.key # None /\ s.key = m.pred)
    THEN LET mine == s.key = m.t
             f == IF mine THEN Mine(s) ELSE Offer(s, m.f)
         IN [Reply([s EXCEPT !.key = m.t, !.ttl = Lease, !.hop = IF mine THEN @ ELSE NoHop, !.by = @ /\ mine,
                             !.fence = IF mine THEN @ ELSE Keep(s, f)], "yes")
                EXCEPT !.f = f]
    ELSE IF s.key = None
    THEN LET g == GrantHead(Enter(s, m.q), n, s.pred) IN [Reply(g.s, "no") EXCEPT !.notes = g.notes]
    ELSE [Reply(Enter(s, m.q), "no") EXCEPT !.root = s.key]

Renew(s, m) == IF s.key = m.t THEN Reply([s EXCEPT !.ttl = Lease], "yes") ELSE Reply(s, "no")

Delete(s, n, m) ==
    IF s.key = m.t THEN Freed(s, n, m.t)
    ELSE IF s.key = None
    \* A majority without the lead held it.  It is no predecessor: its owner would take replaced keys for a loss.
    THEN IF TellsOvertaken THEN Freed(s, n, None) ELSE Reply(s, "done")
    ELSE Reply([s EXCEPT !.by = @ \/ (NotesRelease /\ n \in Leads /\ s.hop.no = 0)], "done")

\* Gives the lead's grant back, and takes the place again.
Back(s, n, m) ==
    LET placed == [s EXCEPT !.list = <<m.q>> \o Without(@, m.q)]
    IN IF s.key # m.t THEN Reply(IF BackOnce THEN s ELSE placed, "done")
       ELSE IF s.by THEN Freed(placed, n, None)
       ELSE Reply(Nobodys(placed), "done")

\* Passes a root to the head of the queue.
HopTo(s, n, no, left, f) ==
    LET w == Head(s.list)
    IN [Reply([s EXCEPT !.hop = [no |-> no, claim |-> w, left |-> left, f |-> f],
                        !.list = Tail(s.list)], "done")
          EXCEPT !.notes = {[kind |-> "hop", to |-> w, root |-> s.key, pred |-> None, no |-> no, left |-> left,
                             f |-> f, lead |-> n, own |-> FALSE]}]

Pass(s, n, m) ==
    LET left == IF ~OwnDeadline THEN s.ttl - Allowance
                ELSE IF ~DeadlineIsInstant THEN m.sent
                ELSE m.left
    IN IF s.key = m.t /\ HopChecked /\ s.hop.no > m.no THEN Reply(s, "done")
       ELSE IF s.key = m.t /\ (s.hop.no = m.no \/ ~HopChecked) /\ left > 0 /\ s.list # <<>>
       THEN HopTo(s, n, m.no + 1, left, m.f)
       ELSE Reply(s, "no")

Hopped(s, claim) == s.hop.claim = claim

Ask(s, n, m) ==
    IF s.mute > 0 THEN Reply(s, "no")
    ELSE IF s.key = m.t
    THEN [Reply(s, "first") EXCEPT !.pred = s.pred, !.left = s.ttl - Allowance, !.f = Mine(s)]
    ELSE IF Hopped(s, m.t)
    THEN [Reply(s, "hop") EXCEPT !.root = s.key, !.no = s.hop.no, !.left = s.hop.left, !.f = s.hop.f]
    ELSE IF s.key = None
    THEN LET g == GrantHead(Enter(s, m.t), n, s.pred)
         IN [Reply(g.s, "no") EXCEPT !.notes = {[x EXCEPT !.own = x.to = m.t] : x \in g.notes}]
    ELSE Reply(Enter(s, m.t), "no")

\* Out of the queue; what was granted meanwhile goes on to the next, or back to whoever leaves.
Leave(s, n, m) ==
    LET t == [s EXCEPT !.list = Without(s.list, m.t)]
    IN IF s.key = m.t THEN Freed(t, n, m.t)
       ELSE IF Hopped(s, m.t)
       THEN IF t.list # <<>> /\ s.hop.left > 0 /\ s.hop.no < MaxHops
            THEN HopTo(t, n, s.hop.no + 1, s.hop.left, Following(s.hop.f))
            ELSE [Reply(t, "hop") EXCEPT !.root = s.key]
       ELSE Reply(t, "done")

Run(n, m) ==
    LET s == node[n]
    IN CASE m.op = "acquire" -> Acquire(s, n, m)
         [] m.op = "renew" -> Renew(s, m)
         [] m.op = "del" -> Delete(s, n, m)
         [] m.op = "back" -> Back(s, n, m)
         [] m.op = "pass" -> Pass(s, n, m)
         [] m.op = "ask" -> Ask(s, n, m)
         [] m.op = "leave" -> Leave(s, n, m)

----------------------------------------------------------------------------
\* The beginning is either nothing at all, or a holder by all nodes but perhaps one, with a queue at the lead.  The
\* second saves the states on the way there; its holder's request to the third node may still be on the way.
Fresh ==
    /\ node = [n \in Nodes |-> Empty]
    /\ cl = [c \in Clients |-> Idle(Turns, 0)]
    /\ link = [c \in Clients |-> [e \in Nodes |-> <<>>]]
    /\ stray = [n \in Nodes |-> <<>>]
    /\ notes = {}
    /\ last = 0
    /\ top = 0

Orders == {q \in [1..Cardinality(Queued) -> Queued] : \A i, j \in DOMAIN q : q[i] = q[j] => i = j}

Contended ==
    \E late \in BOOLEAN, q \in Orders :
        LET root == <<Holder, 1>>
            held == [Empty EXCEPT !.key = root, !.ttl = Lease, !.fence = Block]
            f == IF Block = 0 THEN 0 ELSE 1
            age == IF Uneven THEN 1 ELSE 0
            queue == [i \in DOMAIN q |-> <<q[i], Attempts - Again>>]
            granted == GrantHead([Empty EXCEPT !.list = queue], Home, None)
        IN /\ Overtaken => ~late
           /\ notes = IF Overtaken THEN granted.notes ELSE {}
           /\ node = [n \in Nodes |->
                 IF n = Third /\ late THEN Empty
                 ELSE IF n = Home THEN IF Overtaken THEN granted.s ELSE [held EXCEPT !.list = queue]
                 ELSE [held EXCEPT !.ttl = Lease - age]]
           /\ cl = [c \in Clients |->
                 IF c = Holder THEN [Idle(Turns, 1) EXCEPT !.ph = "hold", !.tok = root, !.val = Lease - age - Allowance,
                                       !.dl = IF Overtaken THEN 0 ELSE Lease - age - Allowance, !.f = f]
                 ELSE IF c \in Queued
                 THEN [Idle(0, Attempts - Again) EXCEPT !.ph = "wait", !.claim = <<c, Attempts - Again>>]
                 ELSE Idle(Turns, 0)]
           /\ link = [c \in Clients |-> [e \in Nodes |->
                 IF c = Holder /\ e = Third /\ late THEN <<[Request("acquire", root) EXCEPT !.f = f]>> ELSE <<>>]]
           /\ stray = [n \in Nodes |->
                 IF Undone /\ n = Third
                 THEN <<Request("del", IF FreshClaim THEN <<q[1], Attempts - 1>> ELSE <<q[1], Attempts>>)>>
                 ELSE <<>>]
           /\ last = f
           /\ top = Block

Init ==
    /\ (Queued = {} /\ Fresh) \/ (Queued # {} /\ Contended)
    /\ faults = Faults
    /\ dead = {}

----------------------------------------------------------------------------
\* Requests.


\* Whether a DEL cannot have any effect: the token is not there and nothing on the way can put it there, and nobody
\* queues.
Acquires(l, t) == \E i \in 1..Len(l) : l[i].op = "acquire" /\ l[i].t = t
Void(e, m, c) ==
    /\ m.op = "del"
    /\ LET n == Process(c, e)
       IN n \notin Leads /\ node[n].key # m.t /\ ~Acquires(stray[n], m.t)
            /\ \A d \in Clients, x \in Nodes : Process(d, x) = n => ~Acquires(link[d][x], m.t)
Add(c, e, l, m) == IF Void(e, m, c) THEN l ELSE Append(l, m)
Send(c, es, m) == link' = [link EXCEPT ![c] = [e \in Nodes |-> IF e \in es THEN Add(c, e, @[e], m) ELSE @[e]]]
\* The same for a client that has just received the reply at the head of one connection.
Answer(c, e, es, m) ==
    link' = [link EXCEPT ![c] = [x \in Nodes |->
        LET rest == IF x = e THEN Tail(@[x]) ELSE @[x] IN IF x \in es THEN Add(c, x, rest, m) ELSE rest]]
Receive(c, e) == link' = [link EXCEPT ![c][e] = Tail(@)]

Fault(kind) == kind \in Kinds /\ faults > 0 /\ faults' = faults - 1
Token(c, i) == <<c, i>>
Ended(c) == Idle(cl[c].turns, cl[c].a)

\* A holder begins, or continues, with a fencing token.
Began(f) == last' = IF Block = 0 \/ last = Broken THEN last ELSE IF f > last THEN f ELSE Broken

Reserved == top' = IF Block = 0 THEN 0
                   ELSE CHOOSE t \in {top} \cup {node'[n].fence : n \in Nodes} :
                          \A n \in Nodes : t >= node'[n].fence /\ t >= top

----------------------------------------------------------------------------
\* What clients do of themselves.

\* One parallel round; a lead that refuses enters the claim in its queue.
Start(c) ==
    /\ cl[c].ph = "idle" /\ cl[c].turns > 0 /\ cl[c].a + 2 <= Attempts
    /\ \E l \in Leads :
        LET t == Token(c, cl[c].a + 1)
            q == IF FreshClaim THEN Token(c, cl[c].a + 2) ELSE t
            m == [Request("acquire", t) EXCEPT !.f = Time]
        IN /\ cl' = [cl EXCEPT ![c] = [Idle(cl[c].turns - 1, cl[c].a + 2) EXCEPT
                        !.ph = "round", !.tok = t, !.claim = q, !.lead = l, !.left = Lease - Allowance]]
           /\ link' = [link EXCEPT ![c] = [e \in Nodes |->
                        Append(@[e], IF e = l THEN [m EXCEPT !.q = q] ELSE m)]]
    /\ UNCHANGED <<node, stray, notes, faults, dead, last, top>>

\* The first request for a name that was contended lately: the claim goes to the lead alone, without a round.
StartAtLead(c) ==
    /\ cl[c].ph = "idle" /\ cl[c].turns > 0 /\ cl[c].a + 1 <= Attempts
    /\ \E l \in Leads :
        LET t == Token(c, cl[c].a + 1)
        IN /\ cl' = [cl EXCEPT ![c] = [Idle(cl[c].turns - 1, cl[c].a + 1) EXCEPT !.ph = "wait", !.claim = t, !.lead = l]]
           /\ Send(c, {l}, Request("ask", t))
    /\ UNCHANGED <<node, stray, notes, faults, dead, last, top>>

\* Whether a node's reply to the present round can still come.
Pending(c, e) == \E i \in 1..Len(link[c][e]) : link[c][e][i].op = "acquire" /\ link[c][e][i].t = cl[c].tok

Lost(c) ==
    LET s == cl[c]
    IN \/ s.left = 0 \/ s.odd \/ s.lead \in s.no
       \/ Votes(c, {e \in Nodes : e \in s.got \/ (e \notin s.no /\ Pending(c, e))}) < Majority

\* The round has failed: it is undone everywhere but where it was refused, and its client waits in the queue.  A waiter
\* for whom the lead has granted the lock in vain goes back to its place if one other token has the majority.  Otherwise
\* it asks again soon.
Undo(c) ==
    /\ cl[c].ph = "round" /\ Lost(c)
    /\ LET s == cl[c]
           again == s.claim = s.tok /\ FreshClaim
           a == IF again THEN s.a + 1 ELSE s.a
           back == again /\ StandsBack /\ s.rival # None /\ Votes(c, s.no) >= Majority /\ a <= Attempts
       IN /\ cl' = [cl EXCEPT ![c] =
                IF a > Attempts THEN Ended(c)
                ELSE [Idle(s.turns, a) EXCEPT !.ph = "wait", !.lead = s.lead,
                        !.claim = IF again THEN Token(c, a) ELSE s.claim,
                        !.soon = ~MayAsk /\ (s.soon \/ s.rival = None \/ \E x \in notes : x.to = s.claim /\ ~x.own)]]
          /\ IF back THEN Send(c, {s.lead}, [Request("back", s.tok) EXCEPT !.q = Token(c, a)])
             ELSE Send(c, Nodes \ s.no, Request("del", s.tok))
          /\ dead' = dead \cup (IF FreshClaim THEN {s.tok} ELSE {})
    /\ UNCHANGED <<node, stray, notes, faults, last, top>>

\* The pauses of a waiter that asks soon outlast the requests of others that are on the way.
Under(l) == \E i \in 1..Len(l) : l[i].op \in {"acquire", "del", "back"}
Calm == \A n \in Nodes : ~Under(stray[n]) /\ \A c \in Clients : ~Under(link[c][n])

\* A waiter asks again.  The model leaves out questions that would change nothing.
AskAgain(c) ==
    LET s == cl[c]
        d == node[s.lead]
    IN /\ MayAsk \/ (s.soon /\ Calm)
       /\ s.ph = "wait" /\ link[c][s.lead] = <<>>
       /\ ~ \E x \in notes : x.to = s.claim
       /\ d.mute = 0
       /\ d.key = None \/ d.key = s.claim \/ Hopped(d, s.claim) \/ ~Has(d.list, s.claim)
       /\ Send(c, {s.lead}, Request("ask", s.claim))
       /\ cl' = [cl EXCEPT ![c].soon = FALSE]
       /\ UNCHANGED <<node, stray, notes, faults, dead, last, top>>

\* A timed wait ends.
GiveUp(c) ==
    /\ cl[c].ph = "wait" /\ Fault("leave")
    /\ cl' = [cl EXCEPT ![c].ph = "leave"]
    /\ Send(c, {cl[c].lead}, Request("leave", cl[c].claim))
    /\ UNCHANGED <<node, stray, notes, dead, last, top>>

\* No reply will come, or its lead is muted: whoever leaves owes nothing, what was granted to it expires.
LeftForGood(c) ==
    /\ cl[c].ph = "leave" /\ link[c][cl[c].lead] = <<>>
    /\ cl' = [cl EXCEPT ![c] = Ended(c)]
    /\ UNCHANGED <<node, link, stray, notes, faults, dead, last, top>>

\* The lead a waiter queues at stopped voting: the client starts anew, at another one.
LeadMuted(c) ==
    /\ cl[c].ph = "wait" /\ node[cl[c].lead].mute > 0 /\ link[c][cl[c].lead] = <<>>
    /\ cl' = [cl EXCEPT ![c] = Idle(cl[c].turns + (IF cl[c].a + 2 <= Attempts THEN 1 ELSE 0), cl[c].a)]
    /\ UNCHANGED <<node, link, stray, notes, faults, dead, last, top>>

RenewAll(c) ==
    /\ cl[c].ph = "hold" /\ cl[c].val > 0 /\ cl[c].left = 0 /\ cl[c].renewals < Renewals
    /\ cl' = [cl EXCEPT ![c].left = Lease - Allowance, ![c].got = {}, ![c].passable = 0, ![c].renewals = @ + 1]
    /\ Send(c, Nodes, Request("renew", cl[c].tok))
    /\ UNCHANGED <<node, stray, notes, faults, dead, last, top>>

\* The owner releases everywhere; the lead grants its head.
ReleaseAll(c) ==
    /\ cl[c].ph = "hold"
    /\ cl' = [cl EXCEPT ![c] = Ended(c)]
    /\ dead' = dead \cup {cl[c].tok}
    /\ Send(c, Nodes, Request("del", cl[c].tok))
    /\ UNCHANGED <<node, stray, notes, faults, last, top>>

\* The owner stops, then passes its root to whoever is first at the lead.
PassOn(c) ==
    LET s == cl[c]
    IN /\ s.ph = "hold" /\ s.dl > 0 /\ s.hop < MaxHops
       /\ cl' = [cl EXCEPT ![c].ph = "pass", ![c].val = IF PassGivesUp THEN 0 ELSE @, ![c].left = 0, ![c].got = {},
                           ![c].dl = 0]
       /\ Send(c, {s.lead}, [Request("pass", s.tok) EXCEPT !.no = s.hop, !.left = s.dl, !.sent = s.dl,
                                                           !.f = Following(s.f)])
       /\ UNCHANGED <<node, stray, notes, faults, dead, last, top>>

\* No reply will come.
PassUnknown(c) ==
    /\ cl[c].ph = "pass" /\ ~ \E i \in 1..Len(link[c][cl[c].lead]) : link[c][cl[c].lead][i].op = "pass"
    /\ cl' = [cl EXCEPT ![c] = Ended(c)]
    /\ IF NeverDelAfterPass
       THEN UNCHANGED <<link, dead>>
       ELSE Send(c, Nodes, Request("del", cl[c].tok)) /\ dead' = dead \cup {cl[c].tok}
    /\ UNCHANGED <<node, stray, notes, faults, last, top>>

----------------------------------------------------------------------------
\* What clients do with replies and notes.

\* The first hand-off: the lead's key is the waiter's already; compare-and-set of the others.
Granted(c, e, x) ==
    /\ cl' = [cl EXCEPT ![c] = [Idle(cl[c].turns, cl[c].a) EXCEPT
                !.ph = "round", !.tok = cl[c].claim, !.claim = cl[c].claim, !.lead = x.lead, !.got = {x.lead},
                !.left = Max(x.left, 0), !.passable = Max(x.left, 0), !.f = x.f,
                !.soon = ~MayAsk /\ e = Nowhere /\ ~x.own]]
    /\ LET m == [Request("acquire", cl[c].claim) EXCEPT !.pred = x.pred, !.f = x.f]
       IN IF e = Nowhere THEN Send(c, Nodes \ {x.lead}, m) ELSE Answer(c, e, Nodes \ {x.lead}, m)
    /\ UNCHANGED <<dead, last>>

\* A hop: the waiter inherits the root and its majority, or releases them if it learns of it too late.
Inherits(c, e, x) ==
    IF x.left > 0
    THEN /\ cl' = [cl EXCEPT ![c] = [Idle(cl[c].turns, cl[c].a) EXCEPT
                        !.ph = "hold", !.tok = x.root, !.lead = x.lead, !.val = x.left, !.dl = x.left, !.hop = x.no,
                        !.f = x.f]]
         /\ Began(x.f)
         /\ IF e = Nowhere THEN UNCHANGED link ELSE Receive(c, e)
         /\ UNCHANGED dead
    ELSE /\ cl' = [cl EXCEPT ![c] = Ended(c)]
         /\ IF e = Nowhere THEN Send(c, Nodes, Request("del", x.root)) ELSE Answer(c, e, Nodes, Request("del", x.root))
         /\ dead' = dead \cup {x.root}
         /\ UNCHANGED last

Ignore(c, e) == Receive(c, e) /\ UNCHANGED <<cl, dead, last>>

\* How long the root can be passed on, once the lead has answered.
Answered(s, e) == IF e # s.lead THEN s.passable ELSE IF DeadlineFromRequest THEN s.left ELSE Lease - Allowance

\* A vote for the present round.
OnVote(c, e, m, r) ==
    LET s == cl[c]
        yes == r.kind = "yes"
        got == IF yes THEN s.got \cup {e} ELSE s.got
        odd == s.odd \/ (yes /\ s.got # {} /\ s.f # r.f)
        passable == IF yes THEN Answered(s, e) ELSE s.passable
        \* Whoever has refused the exchange so far, if it is one token.
        rival == IF yes \/ s.tok # s.claim THEN s.rival
                 ELSE IF s.no = {} \/ s.rival = r.root THEN r.root ELSE None
        won == yes /\ ~odd /\ Votes(c, got) >= Majority /\ s.lead \notin s.no /\ s.left > 0
    IN IF s.ph = "round" /\ s.tok = m.t
       THEN /\ Receive(c, e)
            /\ UNCHANGED dead
            /\ IF won
               THEN /\ cl' = [cl EXCEPT ![c] = [Idle(s.turns, s.a) EXCEPT
                                !.ph = "hold", !.tok = s.tok, !.lead = s.lead, !.val = s.left, !.dl = passable,
                                !.f = r.f]]
                    /\ Began(r.f)
               ELSE /\ cl' = [cl EXCEPT ![c].got = got, ![c].odd = odd, ![c].passable = passable,
                                        ![c].f = IF yes THEN r.f ELSE @, ![c].no = IF yes THEN @ ELSE @ \cup {e},
                                        ![c].rival = rival]
                    /\ UNCHANGED last
       ELSE Ignore(c, e)

OnRenewed(c, e, m, r) ==
    LET s == cl[c]
        got == s.got \cup {e}
        passable == Answered(s, e)
    IN IF s.ph = "hold" /\ s.tok = m.t /\ s.left > 0 /\ r.kind = "yes"
       THEN /\ Receive(c, e)
            /\ cl' = IF Votes(c, got) >= Majority
                     THEN [cl EXCEPT ![c].val = Max(@, s.left), ![c].dl = Max(@, passable), ![c].left = 0,
                                     ![c].got = {}, ![c].passable = 0]
                     ELSE [cl EXCEPT ![c].got = got, ![c].passable = passable]
            /\ UNCHANGED <<dead, last>>
       ELSE Ignore(c, e)

OnPassed(c, e, m, r) ==
    LET s == cl[c]
    IN IF s.ph # "pass" \/ s.tok # m.t THEN Ignore(c, e)
       ELSE /\ cl' = [cl EXCEPT ![c] = Ended(c)]
            /\ UNCHANGED last
            \* A refusal of the only PASS that was ever sent: nothing was passed, the owner releases.
            /\ IF r.kind = "no" /\ (~s.resent \/ ~NeverDelAfterPass)
               THEN Answer(c, e, Nodes, Request("del", s.tok)) /\ dead' = dead \cup {s.tok}
               ELSE Receive(c, e) /\ UNCHANGED dead

OnAsked(c, e, m, r) ==
    LET s == cl[c]
        x == [lead |-> e, root |-> r.root, pred |-> r.pred, no |-> r.no, left |-> r.left, f |-> r.f]
    IN IF s.ph # "wait" \/ s.claim # m.t THEN Ignore(c, e)
       ELSE IF r.kind = "first" THEN Granted(c, e, x)
       ELSE IF r.kind = "hop" THEN Inherits(c, e, x)
       ELSE Ignore(c, e)

OnLeft(c, e, m, r) ==
    IF cl[c].ph # "leave" \/ cl[c].claim # m.t THEN Ignore(c, e)
    ELSE /\ cl' = [cl EXCEPT ![c] = Ended(c)]
         /\ UNCHANGED last
         /\ IF r.kind = "hop"
            THEN Answer(c, e, Nodes, Request("del", r.root)) /\ dead' = dead \cup {r.root}
            ELSE Receive(c, e) /\ UNCHANGED dead

Carry(n, m, r) == node' = [node EXCEPT ![n] = r.s] /\ notes' = notes \cup r.notes /\ Reserved

\* A node carries out the next request of a connection, and the client has the reply.
Exec(c, e) ==
    /\ link[c][e] # <<>>
    /\ LET m == Head(link[c][e])
           n == Process(c, e)
           r == Run(n, m)
       IN /\ Carry(n, m, r)
          /\ CASE m.op = "acquire" -> OnVote(c, e, m, r)
               [] m.op = "renew" -> OnRenewed(c, e, m, r)
               [] m.op = "pass" -> OnPassed(c, e, m, r)
               [] m.op = "ask" -> OnAsked(c, e, m, r)
               [] m.op = "leave" -> OnLeft(c, e, m, r)
               [] OTHER -> Ignore(c, e)
    /\ UNCHANGED <<stray, faults>>

\* The same, but the reply never comes.
ExecUnanswered(c, e) ==
    /\ link[c][e] # <<>> /\ Head(link[c][e]).op # "del" /\ Fault("reply")
    /\ LET m == Head(link[c][e]) n == Process(c, e) IN Carry(n, m, Run(n, m))
    /\ Receive(c, e)
    /\ UNCHANGED <<cl, stray, dead, last>>

NoteFor(c, x) == cl[c].ph = "wait" /\ cl[c].claim = x.to
Hear(c) ==
    /\ \E x \in notes :
        /\ NoteFor(c, x)
        /\ notes' = notes \ {x}
        /\ IF x.kind = "first" THEN Granted(c, Nowhere, x) ELSE Inherits(c, Nowhere, x)
    /\ UNCHANGED <<node, stray, faults, top>>

\* A note for a claim that is over is ignored.
DropNotes ==
    /\ \E x \in notes :
        /\ cl[x.to[1]].ph = "dead" \/ ~(cl[x.to[1]].claim = x.to /\ cl[x.to[1]].ph \in {"wait", "round"})
        /\ notes' = notes \ {x}
    /\ UNCHANGED <<node, cl, link, stray, faults, dead, last, top>>

----------------------------------------------------------------------------
\* What goes wrong.

LoseNotes ==
    /\ Fault("note")
    /\ \E x \in notes : notes' = notes \ {x}
    /\ UNCHANGED <<node, cl, link, stray, dead, last, top>>

\* A connection is given up: what is on the way may arrive at any time later, behind requests of the next connection.
Break(c, e) ==
    /\ link[c][e] # <<>> /\ Fault("break")
    /\ stray' = [stray EXCEPT ![Process(c, e)] = @ \o link[c][e]]
    /\ link' = [link EXCEPT ![c][e] = <<>>]
    /\ UNCHANGED <<node, cl, notes, dead, last, top>>

\* The same, and the last request is sent again over the new connection: a PASS, by a client library; or what a waiter
\* that goes back to its place sent, as each undo is.
Resend(c) ==
    LET e == cl[c].lead
        l == link[c][e]
    IN /\ l # <<>> /\ Fault("resend")
       /\ \/ cl[c].ph = "pass" /\ l[Len(l)].op = "pass"
          \/ l[Len(l)].op = "back"
       /\ stray' = [stray EXCEPT ![Process(c, e)] = @ \o l]
       /\ link' = [link EXCEPT ![c][e] = <<l[Len(l)]>>]
       /\ cl' = [cl EXCEPT ![c].resent = TRUE]
       /\ UNCHANGED <<node, notes, dead, last, top>>

ExecStray(n) ==
    /\ stray[n] # <<>>
    /\ Carry(n, Head(stray[n]), Run(n, Head(stray[n])))
    /\ stray' = [stray EXCEPT ![n] = Tail(@)]
    /\ UNCHANGED <<cl, link, faults, dead, last>>

LoseStray(n) ==
    /\ stray[n] # <<>>
    /\ stray' = [stray EXCEPT ![n] = <<>>]
    /\ UNCHANGED <<node, cl, link, notes, faults, dead, last, top>>

\* A node starts again without its data; its connections are gone.
Restart(n) ==
    /\ Fault("restart")
    /\ node' = [node EXCEPT ![n] = [Empty EXCEPT !.mute = IF BirthGuard THEN Lease + Drift ELSE 0]]
    /\ link' = [c \in Clients |-> [e \in Nodes |-> IF Process(c, e) = n THEN <<>> ELSE link[c][e]]]
    /\ stray' = [stray EXCEPT ![n] = <<>>]
    /\ UNCHANGED <<cl, notes, dead, last, top>>

Crash(c) ==
    /\ cl[c].ph \notin {"idle", "dead"} /\ Fault("crash")
    /\ cl' = [cl EXCEPT ![c] = [Idle(0, cl[c].a) EXCEPT !.ph = "dead"]]
    /\ UNCHANGED <<node, link, stray, notes, dead, last, top>>

Expired(s) == [Nobodys(s) EXCEPT !.pred = IF PredecessorGaveUp THEN None ELSE s.key]
Expire(n) ==
    /\ node[n].key # None /\ node[n].ttl <= Drift
    /\ node' = [node EXCEPT ![n] = Expired(@)]
    /\ UNCHANGED <<cl, link, stray, notes, faults, dead, last, top>>

\* Faults that are assumed not to happen, but one by one.  The clock of a server is stepped forward: its key ends early.
Jump(n) ==
    /\ node[n].key # None /\ Fault("jump")
    /\ \E t \in 0..(node[n].ttl - 1) :
        node' = [node EXCEPT ![n] = IF t = 0 THEN Expired(@) ELSE [@ EXCEPT !.ttl = t]]
    /\ UNCHANGED <<cl, link, stray, notes, dead, last, top>>

\* The key of the lock is evicted, and the record of the birth is not.
Evict(n) ==
    /\ node[n].key # None /\ Fault("evict")
    /\ node' = [node EXCEPT ![n] = Expired(@)]
    /\ UNCHANGED <<cl, link, stray, notes, dead, last, top>>

\* A replica catches up, or an image of a machine is taken.
Data(s) == [key |-> s.key, ttl |-> s.ttl, pred |-> s.pred, fence |-> s.fence, list |-> s.list, hop |-> s.hop,
            by |-> s.by]
Save(n) ==
    /\ Kinds \cap {"failover", "rollback"} # {} /\ faults > 0 /\ node[n].copy # Data(node[n])
    /\ node' = [node EXCEPT ![n].copy = Data(node[n])]
    /\ UNCHANGED <<cl, link, stray, notes, faults, dead, last, top>>

\* The node goes on with the earlier state, and with a record of its birth that tells nobody.
Earlier(s) == [s EXCEPT !.key = s.copy.key, !.ttl = s.copy.ttl, !.pred = s.copy.pred, !.fence = s.copy.fence,
                        !.list = s.copy.list, !.hop = s.copy.hop, !.by = s.copy.by]

\* A server follows its own replica, which lacks acknowledged writes, and leads again.
Failover(n) ==
    /\ node[n].copy # Data(node[n]) /\ Fault("failover")
    /\ node' = [node EXCEPT ![n] = Earlier(@)]
    /\ UNCHANGED <<cl, link, stray, notes, dead, last, top>>

\* The machine of a node is set back to an image of it; its connections are gone.
RollBack(n) ==
    /\ node[n].copy # Data(node[n]) /\ Fault("rollback")
    /\ node' = [node EXCEPT ![n] = Earlier(@)]
    /\ link' = [c \in Clients |-> [e \in Nodes |-> IF Process(c, e) = n THEN <<>> ELSE link[c][e]]]
    /\ stray' = [stray EXCEPT ![n] = <<>>]
    /\ UNCHANGED <<cl, notes, dead, last, top>>

Aged(s) ==
    LET a == [s EXCEPT !.ttl = Less(@), !.hop.left = Less(@)]
    IN IF a.key # None /\ a.ttl = 0 THEN Expired(a) ELSE a

Tick ==
    /\ ~Endless
    /\ \/ \E n \in Nodes : node[n].ttl > 0 \/ node[n].mute > 0
       \/ \E c \in Clients : cl[c].left > 0 \/ cl[c].val > 0
    /\ node' = [n \in Nodes |-> [Aged(node[n]) EXCEPT !.mute = Less(@), !.copy = Aged(@)]]
    /\ cl' = [c \in Clients |-> [cl[c] EXCEPT !.left = Less(@), !.passable = Less(@), !.val = Less(@), !.dl = Less(@)]]
    /\ link' = [c \in Clients |-> [e \in Nodes |->
                 [i \in 1..Len(link[c][e]) |-> [link[c][e][i] EXCEPT !.left = Less(@)]]]]
    /\ stray' = [n \in Nodes |-> [i \in 1..Len(stray[n]) |-> [stray[n][i] EXCEPT !.left = Less(@)]]]
    /\ notes' = {[x EXCEPT !.left = Less(@)] : x \in notes}
    /\ UNCHANGED <<faults, dead, last, top>>

Done(c) == cl[c].ph = "dead" \/ (cl[c].ph = "idle" /\ (cl[c].turns = 0 \/ cl[c].a + 2 > Attempts))
AllDone == (\A c \in Clients : Done(c)) /\ UNCHANGED vars

Next ==
    \/ \E c \in Clients :
        \/ Start(c) \/ StartAtLead(c) \/ Undo(c) \/ AskAgain(c) \/ GiveUp(c) \/ LeftForGood(c) \/ LeadMuted(c)
        \/ RenewAll(c) \/ ReleaseAll(c) \/ PassOn(c) \/ PassUnknown(c) \/ Resend(c) \/ Crash(c)
        \/ \E e \in Nodes : Exec(c, e) \/ ExecUnanswered(c, e) \/ Break(c, e)
        \/ Hear(c)
    \/ DropNotes \/ LoseNotes
    \/ \E n \in Nodes : ExecStray(n) \/ LoseStray(n) \/ Restart(n) \/ Expire(n)
        \/ Jump(n) \/ Evict(n) \/ Save(n) \/ Failover(n) \/ RollBack(n)
    \/ Tick
    \/ AllDone

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

----------------------------------------------------------------------------
Valid(c) == cl[c].ph \in {"hold", "pass"} /\ cl[c].val > 0

\* At most one client believes that it holds the lock.
OneHolder == \A c, d \in Clients : Valid(c) /\ Valid(d) => c = d

\* Fencing tokens grow from holder to holder, and nobody with an older one becomes valid again.
TokensGrow == Block = 0 \/ (last # Broken /\ \A c \in Clients : Valid(c) => cl[c].f = last)

\* Whose root was released by its owner holds nothing.
NothingAfterDelete == \A c \in Clients : Valid(c) => cl[c].tok \notin dead

\* Whoever has the lock does not stand in the queue with the same token: its release would grant it to nobody.
NoPlaceForHolder ==
    \A c \in Clients, n \in Nodes : cl[c].ph \in {"hold", "pass"} => ~Has(node[n].list, cl[c].tok)

\* Every client is served, gives up, or crashes: no wait lasts for ever.
AllEnd == <>(\A c \in Clients : Done(c))

Bound == Levels = 0 \/ TLCGet("level") < Levels

Symmetry ==
    Permutations(Clients \ (Aliased \cup {Holder}))
        \cup (IF Aliased = {} THEN Permutations(Nodes \ Leads) ELSE {})
=============================================================================
