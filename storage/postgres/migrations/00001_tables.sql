-- +goose Up
CREATE TABLE workspaces (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    timezone   text NOT NULL,
    plan       text NOT NULL,
    created_at timestamptz
);

CREATE TABLE api_keys (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    name         text NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    scopes       text[] NOT NULL,
    account_ids  uuid[] NOT NULL,
    created_at   timestamptz,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);
CREATE INDEX api_keys_of_workspace ON api_keys (workspace_id, id);

CREATE TABLE accounts (
    id             uuid PRIMARY KEY,
    workspace_id   uuid NOT NULL,
    platform       text NOT NULL,
    name           text NOT NULL,
    username       text NOT NULL,
    display_name   text NOT NULL,
    profile_url    text NOT NULL,
    status         text NOT NULL,
    max_characters bigint NOT NULL,
    unit           text NOT NULL,
    url_characters bigint NOT NULL,
    options        jsonb,
    credentials    bytea,
    error          jsonb,
    paused_until   timestamptz,
    created_at     timestamptz,
    updated_at     timestamptz
);
CREATE INDEX accounts_of_workspace ON accounts (workspace_id, id);
CREATE UNIQUE INDEX accounts_by_name ON accounts (workspace_id, name) WHERE status <> 'disconnected';
CREATE UNIQUE INDEX accounts_by_feed ON accounts (name) WHERE platform = 'feed' AND status <> 'disconnected';

CREATE TABLE posts (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    content      text NOT NULL,
    status       text NOT NULL,
    publish_at   timestamptz,
    canceled_at  timestamptz,
    created_at   timestamptz,
    updated_at   timestamptz,
    version      bigint NOT NULL
);
CREATE INDEX posts_by_age ON posts (workspace_id, status, id);
CREATE INDEX posts_by_time ON posts (workspace_id, status, coalesce(publish_at, 'infinity'), id);

CREATE TABLE targets (
    id                uuid PRIMARY KEY,
    workspace_id      uuid NOT NULL,
    post_id           uuid NOT NULL,
    place             bigint NOT NULL,
    account_id        uuid NOT NULL,
    platform          text NOT NULL,
    status            text NOT NULL,
    publish_at        timestamptz,
    next_attempt_at   timestamptz,
    due_at            timestamptz,
    attempts          bigint NOT NULL,
    retried_at        timestamptz,
    attempts_before   bigint NOT NULL,
    content           text NOT NULL,
    options           jsonb,
    platform_post_id  text NOT NULL,
    platform_post_url text NOT NULL,
    published_at      timestamptz,
    error             jsonb,
    listed            boolean NOT NULL,
    post_status       text NOT NULL,
    post_publish_at   timestamptz
);
CREATE INDEX targets_of_post ON targets (post_id, place);
CREATE INDEX targets_by_due ON targets (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX targets_by_age ON targets (workspace_id, account_id, post_status, post_id) WHERE listed;
CREATE INDEX targets_by_time ON targets (workspace_id, account_id, post_status, coalesce(post_publish_at, 'infinity'), post_id) WHERE listed;
CREATE INDEX targets_published ON targets (account_id, coalesce(published_at, 'infinity'), id) WHERE status = 'published';
COMMENT ON COLUMN targets.place IS 'among the targets of the post';
COMMENT ON COLUMN targets.due_at IS 'when it is to be claimed; null when it does not wait';
COMMENT ON COLUMN targets.listed IS 'whether it is the post''s first target for its account, by which lists find the post';

CREATE TABLE attempts (
    target_id    uuid NOT NULL,
    number       bigint NOT NULL,
    id           uuid NOT NULL,
    workspace_id uuid NOT NULL,
    post_id      uuid NOT NULL,
    account_id   uuid NOT NULL,
    started_at   timestamptz,
    finished_at  timestamptz,
    outcome      text NOT NULL,
    error        jsonb,
    owner        text NOT NULL,
    lease_until  timestamptz,
    key          text NOT NULL,
    PRIMARY KEY (target_id, number)
);
CREATE INDEX attempts_running ON attempts (started_at, id) WHERE finished_at IS NULL;
CREATE INDEX attempts_running_of ON attempts (account_id, started_at, id) WHERE finished_at IS NULL;

CREATE TABLE answers (
    hash            bytea PRIMARY KEY,
    workspace       text NOT NULL,
    method          text NOT NULL,
    path            text NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint     bytea NOT NULL,
    status          bigint NOT NULL,
    header          jsonb,
    body            bytea,
    sealed          boolean NOT NULL,
    created_at      timestamptz
);
CREATE INDEX answers_by_age ON answers (coalesce(created_at, '-infinity'));
COMMENT ON COLUMN answers.hash IS 'SHA-256 of workspace, method, path and key, by which an answer is found';

CREATE SEQUENCE events_seq AS bigint;
CREATE TABLE events (
    id                uuid PRIMARY KEY,
    seq               bigint NOT NULL DEFAULT nextval('events_seq'),
    type              text NOT NULL,
    created_at        timestamptz,
    workspace_id      uuid NOT NULL,
    post_id           uuid,
    target_id         uuid,
    account_id        uuid,
    webhook_id        uuid,
    platform          text NOT NULL,
    status            text NOT NULL,
    platform_post_id  text NOT NULL,
    platform_post_url text NOT NULL,
    published_at      timestamptz,
    error             jsonb
);
ALTER SEQUENCE events_seq OWNED BY events.seq;
CREATE UNIQUE INDEX events_by_seq ON events (seq);
CREATE INDEX events_of_post ON events (post_id, id) WHERE post_id IS NOT NULL;
COMMENT ON COLUMN events.seq IS 'the place in the outbox';

CREATE TABLE event_gaps (
    seq bigint PRIMARY KEY
);
COMMENT ON TABLE event_gaps IS 'places of the outbox that will never hold an event, or do not hold it any more';

CREATE TABLE outbox (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    first_seq bigint NOT NULL
);
COMMENT ON TABLE outbox IS 'one row: before first_seq the outbox is empty, and has no gaps noted';
INSERT INTO outbox (first_seq) VALUES (1);

CREATE TABLE webhooks (
    id              uuid PRIMARY KEY,
    workspace_id    uuid NOT NULL,
    name            text NOT NULL,
    url             text NOT NULL,
    event_types     text[] NOT NULL,
    enabled         boolean NOT NULL,
    disabled_reason text NOT NULL,
    secret          bytea,
    previous_secret bytea,
    previous_until  timestamptz,
    created_at      timestamptz,
    updated_at      timestamptz,
    cursor          uuid,
    failing_since   timestamptz
);
CREATE INDEX webhooks_of_workspace ON webhooks (workspace_id, id);

CREATE TABLE gone_webhooks (
    id uuid PRIMARY KEY
);
COMMENT ON TABLE gone_webhooks IS 'deleted webhooks that may have left deliveries to remove';

CREATE TABLE deliveries (
    webhook_id      uuid NOT NULL,
    id              uuid NOT NULL,
    event_id        uuid NOT NULL,
    event_type      text NOT NULL,
    status          text NOT NULL,
    attempt         bigint NOT NULL,
    http_status     bigint NOT NULL,
    duration_ns     bigint NOT NULL,
    response        text NOT NULL,
    error           text NOT NULL,
    next_attempt_at timestamptz,
    retries_from    bigint NOT NULL,
    created_at      timestamptz,
    attempted_at    timestamptz,
    PRIMARY KEY (webhook_id, id)
);
CREATE INDEX deliveries_by_age ON deliveries (coalesce(created_at, '-infinity'));
CREATE INDEX deliveries_pending ON deliveries (webhook_id, coalesce(next_attempt_at, 'infinity'), id) WHERE status = 'pending';

CREATE TABLE audit_entries (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    at           timestamptz,
    key_id       uuid,
    key_name     text NOT NULL,
    remote_addr  text NOT NULL,
    action       text NOT NULL,
    resource_id  text NOT NULL,
    request_id   text NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX audit_entries_by_age ON audit_entries (coalesce(at, '-infinity'));

CREATE TABLE commits (
    connection uuid PRIMARY KEY,
    last       uuid NOT NULL,
    at         timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE commits IS 'the last transaction that was committed on each connection, for a client that lost it in the middle of a commit';

CREATE TABLE notes (
    name  text PRIMARY KEY,
    value bytea NOT NULL
);
COMMENT ON TABLE notes IS 'what a daemon needs to know before it uses the database';

CREATE TABLE nodes (
    id          text COLLATE "C" PRIMARY KEY,
    name        text NOT NULL,
    version     text NOT NULL,
    started_at  timestamptz,
    lag_ns      bigint NOT NULL,
    beat_at     timestamptz NOT NULL,
    lease_until timestamptz NOT NULL,
    lease       bigint NOT NULL
);
COMMENT ON TABLE nodes IS 'the daemons that use the database, and those that have not long ago';
COMMENT ON COLUMN nodes.lease IS 'counts the leases: one that has run out is not taken up again';

CREATE TABLE holds (
    name    text PRIMARY KEY,
    node_id text COLLATE "C" NOT NULL REFERENCES nodes ON DELETE CASCADE,
    lease   bigint NOT NULL
);
CREATE INDEX holds_of_node ON holds (node_id);
COMMENT ON TABLE holds IS 'what one node does at a time; void when the lease is not the one that its node has now';

CREATE UNLOGGED TABLE token_buckets (
    name    text COLLATE "C" PRIMARY KEY,
    full_at timestamptz NOT NULL
);
COMMENT ON TABLE token_buckets IS 'rate limits: when each bucket will be full again; a crash fills them all';
