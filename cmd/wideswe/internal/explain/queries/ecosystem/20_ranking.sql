-- Its place in the ranking, by stars
SELECT place, ranked AS of, stars, before, after FROM (
    SELECT ecosystem, stars, row_number() OVER by_stars AS place, count(*) OVER () AS ranked,
           lag(ecosystem || ' (' || stars || ')') OVER by_stars AS before, lead(ecosystem || ' (' || stars || ')') OVER by_stars AS after
    FROM ecosystems WHERE stars > 0 WINDOW by_stars AS (ORDER BY stars DESC, ecosystem))
WHERE ecosystem = $1
