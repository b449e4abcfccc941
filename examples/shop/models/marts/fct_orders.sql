{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='order_id') }}

select o.order_id, o.customer_id, o.order_day, o.ordered_at, o.status, t.items, t.net_cents
from {{ ref('stg_orders') }} as o
join {{ ref('int_order_totals') }} as t on t.order_id = o.order_id
{% if is_incremental() %}
where o.ordered_at > (select max(ordered_at) from {{ this }})
{% endif %}
