-- Money of one order, in cents.
with lines as (
    select l.order_id, l.quantity, p.price_cents
    from {{ ref('stg_order_lines') }} as l
    join {{ ref('stg_products') }} as p on p.product_id = l.product_id
)

select order_id, sum(quantity) as items, sum(quantity * price_cents) as net_cents
from lines
group by order_id
