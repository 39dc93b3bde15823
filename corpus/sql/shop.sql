-- Orders and stock of a shop. Documents are kept as JSON.

CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL, c NUMERIC, d TEXT);
CREATE TABLE lines (
  id INTEGER PRIMARY KEY,
  product INTEGER,
  quantity INT DEFAULT +1,
  UNIQUE (id, product),
  CONSTRAINT product_exists FOREIGN KEY (product) REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED
);
INSERT INTO t (b, c, d) VALUES ('tea', 4.20, '{"a":1}');
INSERT INTO t (b, c, d) VALUES ('coffee', 6, '{"a":[1,2,3]}');
INSERT INTO t (b, c) VALUES ('caf' || char(233), 0x10);
INSERT OR IGNORE INTO t SELECT a + 10, b || ' (large)', c * 2, d FROM t WHERE c = 4.2;
INSERT INTO lines (product, quantity) VALUES (1, 2);
INSERT INTO lines (product) VALUES (2);
INSERT INTO lines DEFAULT VALUES;

UPDATE t SET (c, d) = (c * 0.9, NULL) WHERE a = 3;

SELECT json_extract('{"a":{"b":[1,2]}}', '$.a.b[0]'), '[1,2,3]' ->> '$[1]', json_array(1, 'two', NULL);
SELECT json_object('k', c), json_type('[]'), json_valid(d), json_array_length('[1,[2]]') FROM t ORDER BY 1;
SELECT value, type FROM json_each('{"a":1,"b":true}');
SELECT value FROM generate_series(1, 5) WHERE value & 1;

SELECT b,
       iif(c > 5, 'large', 'small'),
       max(c, 5), min(c, 5.0), nullif(b, 'tea'), ifnull(d, '-'),
       instr(b, 'e'), replace(b, 'e', 'E'), quote(b),
       ~a, - c, +c, NOT a, a << 2, a >> 1, a | 8, a / 2, a != 3, a == 3, b IS NOT 'tea'
FROM main.t
WHERE rowid <= 9223372036854775807 AND (b NOT IN ('milk', 'water')) AND (b NOT NULL)
ORDER BY c DESC NULLS LAST, length(b), 1;

SELECT p.b, ln.quantity * p.c AS total
FROM t AS p, lines AS ln
WHERE p.a = ln.product
UNION
SELECT 'sum', sum(quantity) FROM lines
LIMIT 10;

SELECT * FROM (SELECT a, count(*) AS n FROM t GROUP BY a HAVING n > 0) AS grouped
  NATURAL JOIN t
WHERE b BETWEEN 'a' AND 'z';
SELECT x.a, y.a FROM t AS x JOIN t AS y USING (b) WHERE x.c IN (SELECT c FROM t);
SELECT CAST('12' AS INTEGER) + 1.5, CASE 3 WHEN 1 THEN 'one' WHEN 3 THEN 'three' END;
SELECT CASE WHEN ?1 IS NULL THEN :a ELSE @b END;
VALUES (1, 'one'), (2, 'two');
SELECT count(*), sum(DISTINCT c), avg(c) FROM t;
EXPLAIN SELECT a FROM t;
DELETE FROM t WHERE a > 100 AND (EXISTS (SELECT 1 FROM lines WHERE product = 1));
DROP TABLE IF EXISTS lines;
