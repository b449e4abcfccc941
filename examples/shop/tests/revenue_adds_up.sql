-- Every order is in exactly one customer's value.
select total_of_orders, total_of_customers
from (select sum(net_cents) as total_of_orders from {{ ref('fct_orders') }})
cross join (select sum(net_cents) as total_of_customers from {{ ref('customer_value') }})
where total_of_orders <> total_of_customers
