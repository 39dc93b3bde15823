-- Double-entry bookkeeping: triggers keep the balances, and a view shows what is owed.
pragma foreign_keys = on;
PRAGMA recursive_triggers = off;

CREATE TABLE accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE COLLATE nocase,
    kind TEXT NOT NULL DEFAULT 'asset' CHECK (kind IN ('asset', 'income', 'expense')),
    balance INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    debit INTEGER NOT NULL REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    credit INTEGER NOT NULL REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED,
    cents INTEGER NOT NULL CHECK (cents > 0),
    booked TEXT DEFAULT CURRENT_TIMESTAMP,
    euros REAL GENERATED ALWAYS AS (cents / 100.0) VIRTUAL,
    label TEXT AS (printf('%05d: %-8.8s|', id, booked)) STORED,
    CONSTRAINT different CHECK (debit <> credit)
);
CREATE INDEX entries_by_day ON entries (date(booked), cents DESC) WHERE cents >= 100;
CREATE UNIQUE INDEX IF NOT EXISTS by_label ON entries (label COLLATE rtrim);

CREATE TRIGGER book AFTER INSERT ON entries FOR EACH ROW BEGIN
    UPDATE accounts SET balance = balance + new.cents WHERE id = new.debit;
    UPDATE accounts SET balance = balance - new.cents WHERE id = new.credit;
END;

CREATE TRIGGER keep BEFORE DELETE ON entries WHEN old.cents > 10000 BEGIN
    SELECT RAISE(ABORT, 'too large to vanish');
END;

CREATE TRIGGER correct AFTER UPDATE OF cents ON entries BEGIN
    UPDATE accounts SET balance = balance + new.cents - old.cents WHERE id = new.debit;
    UPDATE accounts SET balance = balance - new.cents + old.cents WHERE id = new.credit;
END;

INSERT INTO accounts (id, name, kind) VALUES (1, 'Cash', 'asset'), (2, 'Sales', 'income'), (3, 'Rent', 'expense');
INSERT INTO entries (id, debit, credit, cents, booked) VALUES (1, 1, 2, 25000, '2020-01-31 12:00:00');
INSERT INTO entries (id, debit, credit, cents, booked) VALUES (2, 3, 1, 9950, '2020-02-01'), (3, 1, 2, 99, '2020-02-29');
UPDATE entries SET cents = cents * 2 WHERE id = 3;

CREATE VIEW months (month, turnover, n) AS
    SELECT strftime('%Y-%m', booked), sum(cents), count(*) FROM entries GROUP BY 1;
CREATE TRIGGER no_months INSTEAD OF DELETE ON months BEGIN
    DELETE FROM entries WHERE strftime('%Y-%m', booked) = old.month AND cents <= 10000;
END;

SELECT month, printf('%12.2f', turnover / 100.0) AS euros, n FROM months ORDER BY month DESC NULLS LAST;
DELETE FROM months WHERE month = '2020-02';
SELECT name, balance FROM accounts ORDER BY abs(balance) DESC, name COLLATE nocase;

SAVEPOINT attempt;
INSERT OR ROLLBACK INTO entries (debit, credit, cents) VALUES (3, 1, 1);
ROLLBACK TO attempt;
RELEASE SAVEPOINT attempt;
PRAGMA foreign_key_check;
EXPLAIN QUERY PLAN SELECT * FROM entries WHERE date(booked) = '2020-02-01' AND cents >= 100;
