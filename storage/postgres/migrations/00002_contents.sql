-- +goose Up
ALTER TABLE targets ADD COLUMN fingerprint bytea;
COMMENT ON COLUMN targets.fingerprint IS 'of what it publishes; null when the account does not have that and will not have it';
UPDATE targets SET fingerprint = substring(sha256(convert_to(CASE WHEN targets.content <> '' THEN targets.content ELSE posts.content END, 'UTF8')) FOR 16)
FROM posts WHERE posts.id = targets.post_id
    AND (targets.status IN ('scheduled', 'publishing', 'published') OR targets.error ->> 'outcome' = 'unknown');
CREATE INDEX targets_by_content ON targets (account_id, fingerprint, coalesce(post_publish_at, 'infinity'), post_id) WHERE fingerprint IS NOT NULL;
CREATE INDEX targets_by_platform_post ON targets (account_id, platform_post_id) WHERE status = 'published';
CREATE INDEX accounts_by_identity ON accounts (platform, (CASE WHEN profile_url <> '' THEN profile_url ELSE username END));
