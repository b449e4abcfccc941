select
    c.customer_id,
    c.country_name,
    count(f.order_id) as orders,
    coalesce(sum(f.net_cents), 0) as net_cents,
    coalesce(sum(f.net_cents * (1 + c.vat_rate)), 0) as gross_cents
from {{ ref('dim_customers') }} as c
left join {{ ref('fct_orders') }} as f on f.customer_id = c.customer_id
group by c.customer_id, c.country_name
