-- Notes with tags, kept as JSON, searched as text, placed on a map.
PRAGMA encoding = 'UTF-8';
PRAGMA cache_size = -2000;
BEGIN IMMEDIATE TRANSACTION;
CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT, meta TEXT DEFAULT '{}', raw BLOB);
CREATE VIRTUAL TABLE search USING fts4(a, b, tokenize=porter, prefix='2,3');
CREATE VIRTUAL TABLE places USING rtree(id, x0, x1, y0, y1);
CREATE TEMP TABLE scratch AS SELECT id, body FROM notes WHERE 0;
COMMIT;

INSERT INTO notes (body, meta, raw) VALUES ('buy milk', '{"a":1,"b":[1,2]}', x'00ff');
INSERT INTO notes (body, raw) VALUES ('it''s late', zeroblob(4)), ('', X''), (NULL, NULL);
REPLACE INTO notes VALUES (3, 'running to the train', json_set('{"a":null}', '$.b', 2), randomblob(8));
INSERT INTO notes DEFAULT VALUES;
INSERT INTO search (docid, a, b) SELECT id, body, meta FROM notes WHERE body IS NOT NULL;
INSERT INTO search (search) VALUES ('optimize');
INSERT INTO places VALUES (1, - 1.5, 1.5, 0, 2), (2, 10, 11, 10, 11);

SELECT docid, snippet(search, '<', '>', '...'), offsets(search) FROM search WHERE search MATCH 'run* OR "buy milk"';
SELECT hex(matchinfo(search, 'pcx')) FROM search WHERE a MATCH 'train' ORDER BY docid DESC;
SELECT id FROM places WHERE x0 <= 1 AND x1 >= -1 AND y0 < 3;
SELECT json_extract(meta, '$.b[0]'), json_type('[1,null]', '$[1]'), json_array(1, 'x', NULL), json_valid(meta) FROM notes;
SELECT t.id, e.key, e.value FROM notes AS t, json_each(t.meta) AS e WHERE e.type = 'integer';
SELECT fullkey, atom FROM json_tree('{"a":[1,{"b":true}]}', '$.a') WHERE atom NOT NULL;
SELECT json_group_array(body), json_group_object(ifnull(body, '?'), id) FROM notes WHERE id < 3;

SELECT date('2020-01-31', '+1 month', 'start of month', '-1 day'), time('12:34:56.789', '-90 minutes'),
       datetime(1580515200, 'unixepoch', 'utc'), julianday('2000-01-01T12:00:00'), strftime('%s %f %W %%', '2020-02-29', 'weekday 1');
SELECT printf('%d: %5.2f %-8s| %08x', id, id / 3.0, body, id * 255), printf('%Q', body) FROM notes;
SELECT typeof(raw), length(raw), hex(raw), quote(raw), unicode(body), char(72, 105), upper(substr(body, 1, 3)), trim(body, 'b'),
       coalesce(body, meta), nullif(id, 1), round(2.5), round(2.345, 2), abs(-7), min(3, 1), max(id, 2), instr(body, 'i'),
       replace(body, 'i', 'I'), CAST('12ab' AS INTEGER), CAST(3.9 AS INT), -id, ~id, +id, NOT id, id << 2, id >> 1, id | 8, id & 3
FROM notes
WHERE rowid BETWEEN 1 AND 9223372036854775807 AND likelihood(id > 0, 0.9) AND unlikely(body <> 'x') IS NOT 0;
SELECT "body", [meta], `id` AS 'number' FROM main.notes WHERE 'a' || 1 = 'a1' AND 0x10 = 16 AND .5 < 1e0 ORDER BY 3 DESC LIMIT 2, 1;
ATTACH DATABASE ':memory:' AS aux;
CREATE TABLE aux.copy AS SELECT * FROM notes NOT INDEXED;
DROP TABLE IF EXISTS aux.copy;
DETACH aux;
PRAGMA table_xinfo(notes);
PRAGMA integrity_check;
DELETE FROM search WHERE docid = 1;
DROP TABLE search;
