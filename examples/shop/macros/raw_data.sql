{# The source tables, as another system would fill them. The numbers are made by arithmetic, so that
   two databases get the same rows. #}
{% macro load_raw() %}
    {% set statements %}
        create schema if not exists raw;
        create or replace table raw.customers as
            select
                i as customer_id,
                ['at', 'de', 'fr', 'it', 'nl'][1 + i % 5] as country_code,
                date '2025-01-01' + (i % 300)::integer as signed_up_on,
                timestamp '2025-11-01' + interval 1 minute * i as updated_at
            from range(1, 101) as t(i);
        create or replace table raw.products as
            select i as product_id, ['book', 'game', 'tool'][1 + i % 3] as category,
                100 + (i * 37) % 900 as price_cents
            from range(1, 31) as t(i);
        create or replace table raw.orders as
            select i as order_id, 1 + (i * 7) % 100 as customer_id,
                timestamp '2026-01-01' + interval 1 hour * i as ordered_at,
                ['open', 'paid', 'paid', 'returned'][1 + i % 4] as status
            from range(1, 501) as t(i);
        create or replace table raw.order_lines as
            select i as order_id, n as line_number, 1 + (i * n) % 30 as product_id, 1 + (i + n) % 4 as quantity
            from range(1, 501) as t(i), range(1, 4) as u(n);
    {% endset %}
    {% do run_query(statements) %}
{% endmacro %}

{# Twenty orders more, later than all others. #}
{% macro new_orders() %}
    {% set statements %}
        create or replace temp table next_orders as
            select (select max(order_id) from raw.orders) + i as order_id, i
            from range(1, 21) as t(i);
        insert into raw.orders
            select order_id, 1 + (order_id * 7) % 100, timestamp '2026-01-01' + interval 1 hour * order_id, 'paid'
            from next_orders;
        insert into raw.order_lines
            select order_id, 1, 1 + i % 30, 2 from next_orders;
    {% endset %}
    {% do run_query(statements) %}
{% endmacro %}
