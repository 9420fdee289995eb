-- +goose Up
CREATE TABLE media_assets (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    file_name    text NOT NULL,
    mime_type    text NOT NULL,
    size_bytes   bigint NOT NULL,
    sha256       bytea,
    width        bigint NOT NULL,
    height       bigint NOT NULL,
    duration_ns  bigint NOT NULL,
    alt_text     text NOT NULL,
    status       text NOT NULL,
    reason       text NOT NULL,
    created_at   timestamptz,
    updated_at   timestamptz,
    expires_at   timestamptz,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX media_assets_by_hash ON media_assets (sha256, workspace_id, status, id) WHERE sha256 IS NOT NULL;
CREATE INDEX media_assets_by_size ON media_assets (workspace_id) INCLUDE (size_bytes) WHERE status IN ('pending', 'ready');
CREATE INDEX media_assets_by_expiry ON media_assets (expires_at, id, workspace_id);
COMMENT ON COLUMN media_assets.sha256 IS 'SHA-256 of the bytes, which are stored elsewhere; null while they are unknown';
COMMENT ON COLUMN media_assets.expires_at IS 'when the asset may be deleted if no post needs it';

ALTER TABLE posts ADD COLUMN media jsonb, ADD COLUMN asset_ids jsonb;
ALTER TABLE targets ADD COLUMN media jsonb;
CREATE INDEX posts_by_asset ON posts USING gin (asset_ids jsonb_path_ops) WHERE asset_ids IS NOT NULL;
COMMENT ON COLUMN posts.media IS 'the files of the post: id and sha256 of the asset, alt_text if it replaces that of the asset; null for none';
COMMENT ON COLUMN posts.asset_ids IS 'ids of the assets that the post and its targets use, sorted; null for none';
COMMENT ON COLUMN targets.media IS 'replaces posts.media; null for no override, an empty list for no media';
