/* Stations and lines of a tram network: how to get from one end to the other. */
create table stations (id integer primary key, name text not null, zone int default 1, x real, y real);
create table links (
  a integer not null references stations on delete cascade,
  b integer not null references stations on delete cascade,
  minutes int not null default 2,
  line text,
  primary key (a, b)
) without rowid;
create index links_back on links (b, a);

insert into stations (id, name, zone, x, y) values
  (1, 'Harbour', 1, 0.0, 0.5), (2, 'Market', 1, 1.5, 1), (3, 'Town hall', 1, 2.25, 1.5),
  (4, 'University', 2, 3, 4), (5, 'Hospital', 2, 5.5, 4.25), (6, 'Airport', 3, 9, 9), (7, 'Depot', null, null, null);
insert into links (a, b, minutes, line) values (1, 2, 3, 'T1'), (2, 3, 2, 'T1'), (3, 4, 4, 'T2'), (4, 5, 3, 'T2'), (5, 6, 11, 'T3');
insert into links (a, b, minutes, line) select b, a, minutes, line from links where true;
insert into links values (1, 2, 9, 'N1') on conflict (a, b) do update set minutes = min(minutes, excluded.minutes);
insert into links values (2, 1, 9, 'N1') on conflict do nothing;

with recursive way (station, minutes, path) as (
  select 1, 0, 'Harbour'
  union all
  select l.b, way.minutes + l.minutes, way.path || ' > ' || s.name
  from way join links as l on l.a = way.station join stations s on s.id = l.b
  where instr(way.path, s.name) = 0 and way.minutes < 60
  limit 50
)
select path, minutes from way where station = 6 order by minutes limit 3;

with recursive n (i) as (values (1) union all select i + 1 from n where i < 10),
  square as (select i, i * i as sq from n)
select i, sq from square where sq % 2 union select 0, 0 except select 3, 9;

select s.name, count(l.b) as degree, group_concat(l.line, '/') as lines
from stations as s left outer join links as l on l.a = s.id
group by s.id having count(l.b) > 0 or s.zone is null
order by degree desc, 1;

select name, zone,
  row_number() over (partition by zone order by name) as n,
  rank() over w, dense_rank() over w,
  lag(name, 1, '-') over w, first_value(name) over (w rows between 1 preceding and current row),
  count(*) filter (where x > 2) over (order by y groups between unbounded preceding and 1 following exclude ties),
  avg(x) over (order by x range between 2 preceding and 2 following),
  ntile(2) over (order by id), nth_value(name, 2) over (order by id rows unbounded preceding)
from stations
window w as (order by zone desc);

select * from stations natural join (select id, upper(name) as shout from stations) where 0;
select a.name, b.name from stations a cross join stations b, (links as l join stations c on l.a = c.id)
  where l.b = b.id and a.id = c.id and (a.id, b.id) in (select 1, 2 union values (2, 3)) limit 4 offset 1;
select name from stations where (zone, x) >= (1, 1.5) and id not in (7) and name not like '%h!_%' escape '!' and name glob '[A-U]*';
select exists (select 1 from links where a = 7), (select max(minutes) from links), case when 1 then 'yes' end;
update stations set (x, y) = (select avg(x), avg(y) from stations) where x isnull;
update or ignore links set minutes = minutes + 1 where line is not 'T1' and a in (select id from stations where zone = 2);
delete from stations where id = 7;
alter table stations add column opened text default '1901-05-01' collate rtrim;
alter table stations rename column zone to fare_zone;
alter table links rename to edges;
drop index if exists links_back;
analyze;
reindex edges;
vacuum;
