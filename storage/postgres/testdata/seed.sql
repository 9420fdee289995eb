-- One workspace with :posts posts of 50 accounts, nearly all of them published, and
-- :others events and other records, at most as many as posts. Ids count upwards, as
-- real ones nearly do.
SET synchronous_commit = off;
SET statement_timeout = 0;
SET maintenance_work_mem = '256MB';
ALTER TABLE posts SET UNLOGGED;
ALTER TABLE targets SET UNLOGGED;
ALTER TABLE attempts SET UNLOGGED;
ALTER TABLE events SET UNLOGGED;
ALTER TABLE answers SET UNLOGGED;
ALTER TABLE deliveries SET UNLOGGED;
ALTER TABLE audit_entries SET UNLOGGED;

-- an index is built faster than it grows
CREATE TEMP TABLE later AS SELECT indexname, indexdef FROM pg_indexes
	WHERE schemaname = current_schema() AND indexname NOT IN (SELECT conname FROM pg_constraint);
DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT indexname FROM later LOOP EXECUTE 'DROP INDEX ' || name; END LOOP;
END $$;

CREATE FUNCTION pg_temp.id(n bigint) RETURNS uuid IMMUTABLE LANGUAGE sql AS
	$$ SELECT ('019a0000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
CREATE FUNCTION pg_temp.at(n bigint) RETURNS timestamptz IMMUTABLE LANGUAGE sql AS
	$$ SELECT '2026-01-01Z'::timestamptz + n * interval '10 seconds' $$;
CREATE FUNCTION pg_temp.status(n bigint) RETURNS text IMMUTABLE LANGUAGE sql AS
	$$ SELECT CASE WHEN n % 20 = 0 THEN 'scheduled' WHEN n % 97 = 0 THEN 'failed' WHEN n % 1013 = 0 THEN 'draft' ELSE 'published' END $$;

INSERT INTO workspaces SELECT pg_temp.id(0), 'one', 'UTC', 'self-hosted', pg_temp.at(0);

INSERT INTO posts (id, workspace_id, content, status, publish_at, created_at, updated_at, version, labels, external_id, managed, asset_ids, queue_id, series_id, created_by)
SELECT id, pg_temp.id(0), 'post ' || n, status, at, at, at, n % 50, '["all"]', CASE WHEN n % 3 = 0 THEN 'site/' || n ELSE '' END,
	CASE WHEN n % 3 = 0 THEN jsonb_build_object('collection', 'site' || n % 20, 'path', n || '.md', 'digest', '1') END,
	CASE WHEN n % 100 = 0 THEN jsonb_build_array('med_' || n % 9000) END,
	CASE WHEN n % 4 = 0 THEN pg_temp.id(n % 100) END, CASE WHEN n % 5 = 0 THEN pg_temp.id(n % 1000) END,
	CASE WHEN n % 7 > 0 THEN pg_temp.id(n % 7) END
FROM (SELECT n, pg_temp.id(n) AS id, pg_temp.at(n) AS at, pg_temp.status(n) AS status FROM generate_series(1, :posts::bigint) AS n OFFSET 0) AS made;

INSERT INTO targets (id, workspace_id, post_id, place, account_id, platform, status, publish_at, due_at, attempts, attempts_before, content,
	platform_post_id, platform_post_url, published_at, listed, post_status, post_publish_at, slot_at, fingerprint)
SELECT id, workspace_id, id, 0, pg_temp.id(version), 'mastodon', status, publish_at,
	CASE WHEN status = 'scheduled' THEN publish_at END, 1, 0, '', CASE WHEN status = 'published' THEN id::text ELSE '' END, '', publish_at, true, status, publish_at,
	CASE WHEN queue_id IS NOT NULL THEN publish_at END,
	CASE WHEN status IN ('scheduled', 'published') THEN substring(sha256(convert_to(content, 'UTF8')) FOR 16) END
FROM posts;

INSERT INTO attempts (target_id, number, id, workspace_id, post_id, account_id, started_at, finished_at, outcome, owner, key)
SELECT pg_temp.id(n), 1, pg_temp.id(n), pg_temp.id(0), pg_temp.id(n), pg_temp.id(n % 50), pg_temp.at(n),
	CASE WHEN n % 5003 > 0 THEN pg_temp.at(n) END, 'published', '', ''
FROM generate_series(1, :others::bigint) AS n;

INSERT INTO events (id, type, created_at, workspace_id, post_id, platform, status, platform_post_id, platform_post_url)
SELECT pg_temp.id(n), 'post.created', pg_temp.at(n), pg_temp.id(0), pg_temp.id(n / 3), '', 'draft', '', ''
FROM generate_series(1, :others::bigint) AS n;

INSERT INTO event_gaps SELECT :posts::bigint + n FROM generate_series(1, :others::bigint) AS n;

INSERT INTO answers (hash, workspace, method, path, idempotency_key, fingerprint, status, sealed, created_at)
SELECT sha256(n::text::bytea), '', 'POST', '/', n::text, sha256(n::text::bytea), 201, false, pg_temp.at(n)
FROM generate_series(1, :others::bigint) AS n;

INSERT INTO media_assets (id, workspace_id, file_name, mime_type, size_bytes, sha256, width, height, duration_ns, alt_text, status, reason, created_at, updated_at, expires_at)
SELECT pg_temp.id(n), pg_temp.id(n % 100), n || '.png', 'image/png', n, sha256(n::text::bytea), 640, 480, 0, '',
	CASE WHEN n % 50 = 0 THEN 'pending' ELSE 'ready' END, '', pg_temp.at(n), pg_temp.at(n), pg_temp.at(n)
FROM generate_series(1, :others::bigint) AS n;

INSERT INTO queues (id, workspace_id, name, timezone, account_ids, gap_ns, is_default, version)
SELECT pg_temp.id(n), pg_temp.id(n % 100), '', 'UTC', '{}', 0, false, 1 FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO blackouts (id, workspace_id, local_from, local_to, timezone, account_ids, reason, mode, starts_at, ends_at, settled_at, version)
SELECT pg_temp.id(n), pg_temp.id(n % 100), '', '', 'UTC', '{}', '', 'hold', pg_temp.at(n), pg_temp.at(n), CASE WHEN n % 10 > 0 THEN pg_temp.at(n) END, 1
FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO series (id, workspace_id, name, template, asset_ids, variants, timezone, start, rule, exdates, ahead_days, state, external_id, cursor, sweep_at, version)
SELECT pg_temp.id(n), pg_temp.id(n % 100), '', '{}', CASE WHEN n % 3 = 0 THEN jsonb_build_array('med_' || n) END, '{}', 'UTC', '', '', '{}', 14, 'active',
	'site/' || n, '', CASE WHEN n % 10 > 0 THEN pg_temp.at(n) END, 1
FROM generate_series(1, :others::bigint) AS n;

INSERT INTO calendar_feeds (id, workspace_id, name, account_ids, titles_only, hash)
SELECT pg_temp.id(n), pg_temp.id(n % 100), '', '{}', false, sha256(n::text::bytea) FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO collections (id, workspace_id, name, source, commit_hash, key_name)
SELECT pg_temp.id(n), pg_temp.id(CASE WHEN n = 9 THEN 0 ELSE n % 100 END), 'site' || n, 'example.org/site', '', '' FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO aliases (id, workspace_id, kind, name, account_ids, content)
SELECT pg_temp.id(n), pg_temp.id(n % 100), 'snippet', 'text' || n, '{}', '' FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO shares (id, workspace_id, kind, name, rights, hash, post_ids, account_ids, labels, approval, uses)
SELECT pg_temp.id(n), pg_temp.id(n % 100), 'review', 'Dana', 'view', sha256(n::text::bytea), '{}', '{}', '{}', '', 0 FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO results (id, workspace_id, next_at, reason)
SELECT pg_temp.id(n), pg_temp.id(n % 100), CASE WHEN n % 10 = 0 THEN pg_temp.at(n) END, '' FROM generate_series(1, :posts::bigint) AS n;

INSERT INTO account_results (id, workspace_id, spent, reason, lacks)
SELECT pg_temp.id(n), pg_temp.id(n % 100), 0, '', '{}' FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO sources (id, workspace_id, name, settings, state, progress, wake_at, inherits, version)
SELECT pg_temp.id(n), pg_temp.id(n % 100), 'source' || n, '{}', 'active', '{}', pg_temp.at(n), '{}', 1 FROM generate_series(1, :posts::bigint / 100) AS n;

INSERT INTO source_items (id, workspace_id, source_id, state, reason, title, link, author, keys, round)
SELECT pg_temp.id(n), pg_temp.id(n % 100), pg_temp.id(n % 1000), 'posted', '', '', '', '', ARRAY['g' || n, 'l' || n, 'h' || n], 1 FROM generate_series(1, :posts::bigint) AS n;

INSERT INTO webhooks (id, workspace_id, name, url, event_types, enabled, disabled_reason)
SELECT pg_temp.id(n), pg_temp.id(0), '', '', '{}', true, '' FROM generate_series(1, 50) AS n;

INSERT INTO webhooks (id, workspace_id, name, url, event_types, enabled, disabled_reason, notify)
SELECT pg_temp.id(n), pg_temp.id(0), '', '', '{}', true, '', '{}' FROM generate_series(101, 150) AS n;

INSERT INTO gone_webhooks SELECT pg_temp.id(51);

INSERT INTO deliveries (webhook_id, id, event_id, event_type, status, attempt, http_status, duration_ns, response, error, next_attempt_at, retries_from, created_at)
SELECT pg_temp.id(1 + n % 51), pg_temp.id(n), pg_temp.id(n), '', CASE WHEN n % 7 = 0 THEN 'pending' ELSE 'delivered' END, 1, 200, 1, '', '',
	pg_temp.at(n), 0, pg_temp.at(n)
FROM generate_series(1, :others::bigint) AS n;

INSERT INTO audit_entries (workspace_id, id, at, key_name, remote_addr, action, resource_id, request_id)
SELECT pg_temp.id(0), pg_temp.id(n), pg_temp.at(n), '', '', 'createPost', '', '' FROM generate_series(1, :others::bigint) AS n;

DO $$ DECLARE def text; BEGIN
	FOR def IN SELECT indexdef FROM later LOOP EXECUTE def; END LOOP;
END $$;

ANALYZE;
