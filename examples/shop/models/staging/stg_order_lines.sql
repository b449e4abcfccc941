select order_id, line_number, product_id, quantity
from {{ source('raw', 'order_lines') }}
