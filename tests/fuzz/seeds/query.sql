with recursive a (n) as (select 1 union all select n + 1 from a where n < 5),
b as materialized (select *, count(*) over (partition by kind order by day desc rows between 1 preceding and current row) as c from db.main.orders as o left join items i using (id))
select b.* exclude (kind) replace (n as m), case when x is not null then 'it''s' else e'\n' end as "Quoted"
from b, lateral (select max(v) from t2 where t2.id = b.id) as l(v)
where day >= current_date - interval 3 day and {'a': 1, 'b': [1, 2]}.a = 1 and x::decimal(10, 2) in (select y from z)
qualify row_number() over w = 1 window w as (partition by id) order by all nulls last limit 10 offset 2;
