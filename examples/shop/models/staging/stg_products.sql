select product_id, category, price_cents
from {{ source('raw', 'products') }}
