-- A small lending library: who has which book, and since when.
pragma foreign_keys = on;

CREATE TABLE IF NOT EXISTS authors (
    id integer PRIMARY KEY AUTOINCREMENT,
    name text NOT NULL COLLATE nocase,
    born int
);

CREATE TABLE books (
    isbn text PRIMARY KEY,
    title varchar(200) NOT NULL,
    author integer REFERENCES authors (id),
    price decimal(6, 2) DEFAULT 9.99,
    added datetime DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE loans (
    isbn text NOT NULL,
    member text DEFAULT 'nobody',
    since text,
    returned boolean DEFAULT (1 - 1),
    UNIQUE (isbn, since),
    FOREIGN KEY (isbn) REFERENCES books (isbn)
);

CREATE INDEX by_member ON loans (member, since DESC);
CREATE UNIQUE INDEX IF NOT EXISTS open_loans ON loans (isbn) WHERE returned = 0;

INSERT INTO authors (name, born) VALUES ('Le Guin', 1929);
INSERT INTO authors VALUES (2, 'O''Brien', 1911);
INSERT INTO authors (id, name) VALUES (3, 'Borges');
INSERT INTO books (isbn, title, author, price) VALUES ('0-441-47812-3', 'The Left Hand of Darkness', 1, 7.5);
INSERT INTO books (isbn, title, author) VALUES ('0-14-118280-1', 'The Third Policeman', 2);
INSERT OR IGNORE INTO books (isbn, title, author) VALUES ('0-14-118280-1', 'twice', 2);
INSERT INTO loans VALUES ('0-441-47812-3', 'ann', date('2024-02-29'), 0);
INSERT INTO loans VALUES ('0-14-118280-1', 'bob', date('2024-02-29', '-1 month'), 1);

BEGIN IMMEDIATE;
UPDATE loans SET returned = 1 WHERE member = 'ann' AND since < '2025';
DELETE FROM loans WHERE returned = 1 AND (member LIKE 'z%');
COMMIT;

-- Who reads what?
SELECT a.name, b.title, l.member
FROM books AS b
    LEFT JOIN authors AS a ON a.id = b.author
    INNER JOIN loans AS l ON l.isbn = b.isbn
WHERE (b.price BETWEEN 5 AND 10) AND a.born IS NOT NULL
ORDER BY a.name COLLATE nocase ASC, b.title DESC
LIMIT 20 OFFSET 0;

SELECT member, count(*) AS n, max(since), group_concat(isbn)
FROM loans
GROUP BY member
HAVING count(*) >= 1
ORDER BY n DESC;

SELECT DISTINCT upper(substr(title, 1, 3)) AS short,
    CASE WHEN price > 8 THEN 'dear' WHEN price IS NULL THEN '?' ELSE 'cheap' END AS class
FROM books
WHERE (isbn IN (SELECT isbn FROM loans WHERE returned = 1)) OR (title GLOB 'The*');

CREATE VIEW IF NOT EXISTS overdue AS
    SELECT isbn, member, since FROM loans WHERE NOT returned AND since < date('now', '-1 month');
SELECT * FROM overdue;
EXPLAIN QUERY PLAN SELECT * FROM loans WHERE member = 'bob';
DROP VIEW overdue;
