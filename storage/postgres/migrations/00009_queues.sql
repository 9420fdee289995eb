-- +goose Up
CREATE TABLE queues (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    name         text NOT NULL,
    timezone     text NOT NULL,
    times        jsonb,
    account_ids  uuid[] NOT NULL,
    gap_ns       bigint NOT NULL,
    is_default   boolean NOT NULL,
    created_at   timestamptz,
    updated_at   timestamptz,
    version      bigint NOT NULL
);
CREATE INDEX queues_of_workspace ON queues (workspace_id, id);
COMMENT ON COLUMN queues.times IS 'the weekly timetable: days, as a bit set from Sunday, and minute of the day';
COMMENT ON COLUMN queues.account_ids IS 'empty for all accounts of the workspace';

CREATE TABLE blackouts (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    local_from   text NOT NULL,
    local_to     text NOT NULL,
    timezone     text NOT NULL,
    account_ids  uuid[] NOT NULL,
    reason       text NOT NULL,
    mode         text NOT NULL,
    starts_at    timestamptz,
    ends_at      timestamptz,
    settled_at   timestamptz,
    created_at   timestamptz,
    updated_at   timestamptz,
    version      bigint NOT NULL
);
CREATE INDEX blackouts_of_workspace ON blackouts (workspace_id, id);
CREATE INDEX blackouts_by_end ON blackouts (ends_at, id) WHERE settled_at IS NULL;
COMMENT ON COLUMN blackouts.account_ids IS 'empty for all accounts of the workspace';
COMMENT ON COLUMN blackouts.ends_at IS 'null for an open end';
COMMENT ON COLUMN blackouts.settled_at IS 'when the posts that it held got new times; null before';

CREATE TABLE series (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    name         text NOT NULL,
    template     jsonb NOT NULL,
    asset_ids    jsonb,
    variants     text[] NOT NULL,
    timezone     text NOT NULL,
    start        text NOT NULL,
    rule         text NOT NULL,
    exdates      text[] NOT NULL,
    ahead_days   bigint NOT NULL,
    queue_id     uuid,
    state        text NOT NULL,
    external_id  text NOT NULL,
    managed      jsonb,
    cursor       text NOT NULL,
    sweep_at     timestamptz,
    next_at      timestamptz,
    previous_id  uuid,
    created_at   timestamptz,
    updated_at   timestamptz,
    version      bigint NOT NULL
);
CREATE INDEX series_of_workspace ON series (workspace_id, id);
CREATE UNIQUE INDEX series_by_external_id ON series (workspace_id, external_id) WHERE external_id <> '';
CREATE INDEX series_by_sweep ON series (sweep_at, id) WHERE sweep_at IS NOT NULL;
CREATE INDEX series_by_asset ON series USING gin (asset_ids jsonb_path_ops) WHERE asset_ids IS NOT NULL;
COMMENT ON COLUMN series.template IS 'the draft that the posts are made from, with its targets';
COMMENT ON COLUMN series.asset_ids IS 'ids of the assets that the template uses, sorted; null for none, and after the end';
COMMENT ON COLUMN series.cursor IS 'local time of the last occurrence that was decided';
COMMENT ON COLUMN series.sweep_at IS 'when the next sweep is due; null unless the series is active';

CREATE TABLE calendar_feeds (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    name         text NOT NULL,
    account_ids  uuid[] NOT NULL,
    titles_only  boolean NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    key_id       uuid,
    expires_at   timestamptz,
    created_at   timestamptz
);
CREATE INDEX calendar_feeds_of_workspace ON calendar_feeds (workspace_id, id);
COMMENT ON COLUMN calendar_feeds.hash IS 'SHA-256 of the token in the address';
COMMENT ON COLUMN calendar_feeds.key_id IS 'the API key that made the feed, which ends with it';

ALTER TABLE posts ADD COLUMN queue_id uuid, ADD COLUMN series_id uuid, ADD COLUMN plan jsonb;
CREATE INDEX posts_of_queue_by_age ON posts (workspace_id, queue_id, status, id) WHERE queue_id IS NOT NULL;
CREATE INDEX posts_of_queue_by_time ON posts (workspace_id, queue_id, status, coalesce(publish_at, 'infinity'), id) WHERE queue_id IS NOT NULL;
CREATE INDEX posts_of_series_by_age ON posts (workspace_id, series_id, status, id) WHERE series_id IS NOT NULL;
CREATE INDEX posts_of_series_by_time ON posts (workspace_id, series_id, status, coalesce(publish_at, 'infinity'), id) WHERE series_id IS NOT NULL;
COMMENT ON COLUMN posts.plan IS 'slot, not_before, occurrence, detached; null for none';

ALTER TABLE targets ADD COLUMN slot_at timestamptz;
CREATE UNIQUE INDEX targets_by_slot ON targets (account_id, slot_at) WHERE slot_at IS NOT NULL;
COMMENT ON COLUMN targets.slot_at IS 'the slot that the target holds on its account; null for none';

ALTER TABLE accounts ADD COLUMN blackouts jsonb;
COMMENT ON COLUMN accounts.blackouts IS 'copies of the blackouts of the account that are not settled; null for none';

ALTER TABLE events ADD COLUMN series_id uuid, ADD COLUMN skipped jsonb;
COMMENT ON COLUMN events.skipped IS 'of series.skipped: which occurrences were left out and why';
