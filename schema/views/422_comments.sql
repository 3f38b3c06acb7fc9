-- Grain: One row per comment or review of an inspected pull.
-- Key: repository_id, number, kind, comment_id.
-- From: inspect *; crawl repository.
-- Columns:
--   kind: comment (in the conversation), review_comment (on a line of the change) or review.
--   body: Text in Markdown, cut at 256 KiB.
--   created_at: When it was written (UTC); null where GitHub gives no time.
--   comment_id: GitHub's numeric id; unique within its kind.
-- Example: comments by kind and author type.
--   SELECT kind, author_type, count(*) AS comments, count(DISTINCT author) AS people FROM comments
--     GROUP BY kind, author_type ORDER BY comments DESC
CREATE OR REPLACE VIEW comments AS
SELECT r.repository, c.number, c.kind, c.author, c.author_type, c.body, c.created_at, c.comment_id, c.repository_id
FROM pull_comments c
JOIN repositories r ON r.repository_id = c.repository_id;
