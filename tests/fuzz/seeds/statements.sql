create or replace temp table x as select now(); insert into audit.log values ('a', random()); grant select on t to r; comment on table t is 'x';
merge into t using s on t.id = s.id when matched then update set v = s.v when not matched then insert *; copy t to 'f.parquet'; call p(1); delete from t where d < current_date
