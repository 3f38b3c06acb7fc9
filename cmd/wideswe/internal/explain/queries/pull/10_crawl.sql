-- Pull, as crawl stored it
SELECT repository || '#' || number AS pull, title, author, author_type, merged_at, landed, source, base_ref, head_ref, head_sha, merge_commit_sha
FROM all_pulls WHERE repository = $1 AND number = $2
