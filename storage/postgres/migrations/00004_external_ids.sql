-- +goose Up
ALTER TABLE posts ADD COLUMN external_id text NOT NULL DEFAULT '', ADD COLUMN managed jsonb, ADD COLUMN labels jsonb;
COMMENT ON COLUMN posts.external_id IS 'the client''s own id for the post; empty for none';
COMMENT ON COLUMN posts.managed IS 'the file that the post is made from: collection, path, digest, pruned';
CREATE UNIQUE INDEX posts_by_external_id ON posts (workspace_id, external_id) WHERE external_id <> '';
CREATE INDEX posts_of_collection_by_age ON posts (workspace_id, (managed ->> 'collection'), status, id) WHERE managed IS NOT NULL;
CREATE INDEX posts_of_collection_by_time ON posts (workspace_id, (managed ->> 'collection'), status, coalesce(publish_at, 'infinity'), id) WHERE managed IS NOT NULL;
