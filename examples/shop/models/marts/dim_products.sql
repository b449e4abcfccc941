select product_id, category, price_cents / 100.0 as price, '{{ var("currency") }}' as currency
from {{ ref('stg_products') }}
