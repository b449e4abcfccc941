select country_code, country_name, count(*) as customers
from {{ ref('dim_customers') }}
group by country_code, country_name
