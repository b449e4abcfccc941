{{ config(
    post_hook=[
        "comment on table {{ this }} is 'One row per customer'",
        "insert into audit.builds values ('dim_customers', now())",
    ]
) }}

select c.customer_id, c.country_code, k.country_name, k.vat_rate, c.signed_up_on
from {{ ref('stg_customers') }} as c
left join {{ ref('countries') }} as k on k.country_code = c.country_code
