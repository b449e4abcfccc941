select order_id, customer_id, ordered_at, ordered_at::date as order_day, status
from {{ source('raw', 'orders') }}
