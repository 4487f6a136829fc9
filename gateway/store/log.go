package store

// logSchema holds the record of calls. Times are microseconds since 1970 (UTC).
// change grows with every change of a row, so that whoever follows the log finds
// what is new; record is the call as one JSON object, the rest of the row is what
// calls are found by. journals says how much of each journal has arrived.
const logSchema = `
CREATE TABLE calls (
	id        TEXT PRIMARY KEY,
	change    BIGINT NOT NULL UNIQUE,
	arrived   BIGINT NOT NULL,
	at        BIGINT NOT NULL,
	tool      TEXT NOT NULL,
	caller_id TEXT NOT NULL,
	caller    TEXT NOT NULL,
	chat      TEXT NOT NULL,
	decision  TEXT NOT NULL,
	rule      TEXT NOT NULL,
	status    TEXT NOT NULL,
	code      TEXT NOT NULL,
	took      BIGINT NOT NULL,
	journal   TEXT NOT NULL,
	record    TEXT NOT NULL
);
CREATE INDEX calls_at ON calls (at, id);
CREATE INDEX calls_running ON calls (journal) WHERE status = 'running';
CREATE TABLE journals (
	name     TEXT PRIMARY KEY,
	arrived  BIGINT NOT NULL,
	position BIGINT NOT NULL
);
CREATE TABLE changes (last BIGINT NOT NULL);
INSERT INTO changes VALUES (0);
`
