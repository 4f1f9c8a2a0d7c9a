CREATE TABLE IF NOT EXISTS account (
    id bigint PRIMARY KEY,
    balance numeric NOT NULL,
    -- The largest fencing token that has written this row.
    fence bigint NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS statement_run (
    tick timestamptz PRIMARY KEY,
    node text NOT NULL
);
