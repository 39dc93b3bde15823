/* Time series of a few sensors; everything that the dashboard asks for. */
create table sensors (id integer primary key, place text not null, unit text default 'C');
create table samples (
  sensor integer not null,
  at integer not null,
  value real,
  raw blob,
  primary key (sensor, at)
);
insert into sensors (id, place) values (1, 'cellar');
insert into sensors (id, place) values (2, 'roof');
insert into sensors values (3, 'lab [north]', '%');
insert into samples (sensor, at, value, raw) values (1, 1700000000, 12.25, x'00ff');
insert into samples values (1, 1700000060, 12.5, null);
insert into samples values (1, 1700000120, 1.3e1, null);
insert into samples values (2, 1700000000, - 4.0, X'616263');
insert into samples values (2, 1700000060, - 3.5, null);
insert into samples values (3, 1700000000, null, null);

-- upsert: the newest value wins
insert into samples (sensor, at, value) values (2, 1700000060, - 3.25)
  on conflict (sensor, at) do update set value = excluded.value where excluded.value is not null;
insert or ignore into sensors values (3, 'lab', '%');

with recent as (select sensor, at, value from samples where at >= 1700000000)
select s.place, round(avg(r.value), 2) as mean, min(r.value), max(r.value), total(r.value)
from recent as r join sensors as s on s.id = r.sensor
group by s.id, s.place
order by mean desc
limit 5;

select sensor, at, value,
  sum(value) over (partition by sensor order by at) as running,
  count(*) over w as n
from samples
window w as (partition by sensor)
order by sensor, at;

select strftime('%Y-%m-%d', at, 'unixepoch') as day from samples where 0;
select time('12:34:56.789'), julianday('2000-01-01'), unixepoch('2024-02-29 12:34:56');

select place, (select count(*) from samples where samples.sensor = sensors.id) as n
from sensors
where exists (select 1 from samples where sensor = id and (value notnull))
union all
select 'all', count(*) from samples
except
select 'none', 0;

select coalesce(value, 0) * 1.8 + 32, abs(value), cast(value as integer) % 7, hex(raw), typeof(raw), length(raw)
from samples
where (sensor, at) in (select sensor, at from samples where value is not null);
select * from samples where not (value < - 100 or value > 1000.0);

update samples set value = value + 0.5, raw = null where sensor = 1 returning at, value;
update sensors set place = lower(trim(place)) || '!' where place not like '%a%' escape '\';
delete from samples where value isnull;

alter table sensors add column note text default '';
alter table sensors rename column note to remark;
alter table sensors drop column remark;
alter table samples rename to history;
select count(distinct sensor), printf('%d rows, %s', count(*), sum(value)) from history;
pragma table_info(history);
pragma user_version = 3;
