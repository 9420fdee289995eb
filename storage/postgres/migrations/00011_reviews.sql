-- +goose Up
ALTER TABLE posts ADD COLUMN editor_id uuid, ADD COLUMN approval text NOT NULL DEFAULT '', ADD COLUMN review jsonb;
CREATE INDEX posts_of_approval_by_age ON posts (workspace_id, approval, status, id) WHERE approval <> '';
CREATE INDEX posts_of_approval_by_time ON posts (workspace_id, approval, status, coalesce(publish_at, 'infinity'), id) WHERE approval <> '';
COMMENT ON COLUMN posts.editor_id IS 'the API key that last changed what is published; null if it is not known';
COMMENT ON COLUMN posts.approval IS 'the state of the approval in review; empty for none';
COMMENT ON COLUMN posts.review IS 'approval, proposed time, kinds of the authors, notes; null for none';

ALTER TABLE workspaces ADD COLUMN approvals text NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN approvals text NOT NULL DEFAULT '';
COMMENT ON COLUMN accounts.approvals IS 'a copy of that of the workspace';

ALTER TABLE api_keys ADD COLUMN agent boolean NOT NULL DEFAULT false, ADD COLUMN restricted boolean NOT NULL DEFAULT false;

-- Keys that administer a workspace may approve; posts:write includes posts:draft.
UPDATE api_keys SET scopes = array_append(array_remove(scopes, 'posts:draft'), 'posts:approve')
	WHERE scopes @> '{posts:write,accounts:write,webhooks:write,keys:write}' AND coalesce(cardinality(account_ids), 0) = 0
		AND NOT scopes @> '{posts:approve}';

ALTER TABLE audit_entries ADD COLUMN detail text NOT NULL DEFAULT '';
