{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='order_day') }}

select order_day, count(*) as orders, sum(net_cents) as net_cents
from {{ ref('fct_orders') }}
where status <> 'returned'
{% if is_incremental() %}
  and order_day >= (select max(order_day) from {{ this }})
{% endif %}
group by order_day
