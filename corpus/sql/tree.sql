-- An organisation as a tree: paths, levels, salaries per level.
create table t(a integer primary key, b text not null, c real default 0.5, d int);
insert into t values(1, 'Ada', 900.0, null), (2, 'Ben', 700.0, 1), (3, 'Cem', 650.5, 1);
create table u (a integer, b text, c real, d int);
insert into u select * from t where a > 1;
create index if not exists i on t(d asc, c desc);

select t.b, u.b from t left join t as u on t.a = u.d where u.b notnull order by t.b, u.a desc limit 10;
select b, count(c), sum(c) from t group by b having count(c) > 0 order by 1 desc;
select a, sum(c) over (partition by d order by a) from t;
select max(c), min(c), avg(c), count(distinct d) from t where d = 1;
select * from t where a in (1, 2, 3) and c > 0.5;
select * from t where c > (select min(u.c) from t as u where t.d = u.d);
select * from t where a in (select u.d from t as u where u.d notnull);
with s as (select a as a, ifnull(b, '?') as b, c as c, d as d from t where c > 0.5) select b || '-' || d as e, a from s as t;
select upper(b), ifnull(d, 0), case when c >= 700 then 'high' else 'low' end from t where b like 'a%' or not (d = 1);
update t set c = c * 1.1 where d = 1;
delete from t where a = 3;
begin; update t set d = 2 where a = 2; rollback;
explain query plan select * from t where d = 1;
alter table t add column e text default 'none';
select e from t;
