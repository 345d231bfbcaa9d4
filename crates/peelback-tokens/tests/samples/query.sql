SELECT c.customer_id, COALESCE(SUM(o.total_cents), 0) / 100.0 AS revenue
FROM customers AS c
LEFT OUTER JOIN orders o ON o.customer_id = c.customer_id AND o.placed_at >= DATE_TRUNC('month', NOW()) - INTERVAL '3 months'
WHERE c.country_code IN ('FI', 'SE', 'NO') AND NOT c.is_deleted
GROUP BY 1 HAVING COUNT(*) > 5 ORDER BY revenue DESC NULLS LAST LIMIT 50 OFFSET 100;
