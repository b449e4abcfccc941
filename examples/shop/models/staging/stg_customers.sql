select customer_id, upper(country_code) as country_code, signed_up_on, updated_at
from {{ source('raw', 'customers') }}
