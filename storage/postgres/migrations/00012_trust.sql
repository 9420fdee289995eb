-- +goose Up
ALTER TABLE posts ADD COLUMN created_by uuid, ADD COLUMN updated_by uuid, ADD COLUMN archived_at timestamptz, ADD COLUMN resend_of uuid,
	ADD COLUMN resent_as uuid;
COMMENT ON COLUMN posts.created_by IS 'the API key that made the post; null if it is not known';
COMMENT ON COLUMN posts.updated_by IS 'the API key that changed the post last; null if it is not known';
COMMENT ON COLUMN posts.archived_at IS 'when the post was put away; null unless it was';
COMMENT ON COLUMN posts.resend_of IS 'the post whose failed targets this one sends again; null for none';
COMMENT ON COLUMN posts.resent_as IS 'the post that sends the failed targets of this one again; null for none';
COMMENT ON COLUMN posts.status IS 'starts with "archived " for archived posts';
CREATE INDEX posts_of_creator_by_age ON posts (workspace_id, created_by, status, id) WHERE created_by IS NOT NULL;

ALTER TABLE posts ADD COLUMN proposed_at timestamptz;
COMMENT ON COLUMN posts.proposed_at IS 'the proposed time in review; null for none';
UPDATE posts SET proposed_at = (review ->> 'proposed_at')::timestamptz WHERE review ? 'proposed_at';
DROP INDEX posts_of_approval_by_time;
CREATE INDEX posts_of_approval_by_time ON posts (workspace_id, approval, status, coalesce(publish_at, proposed_at, 'infinity'), id) WHERE approval <> '';

ALTER TABLE media_assets ADD COLUMN uploaded_by uuid;
ALTER TABLE media_assets ADD COLUMN served_size bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN media_assets.served_size IS 'the size of the file without metadata, in bytes; 0 if it is not known';
COMMENT ON COLUMN media_assets.uploaded_by IS 'the API key that uploaded the asset; null if it is not known';

ALTER TABLE events ADD COLUMN edited boolean NOT NULL DEFAULT false, ADD COLUMN step jsonb, ADD COLUMN source_id uuid;
COMMENT ON COLUMN events.source_id IS 'of events of sources; null for others';
COMMENT ON COLUMN events.step IS 'of events of reviews: who took the step, with which note, and about which version; null for others';

ALTER TABLE workspaces ADD COLUMN four_eyes boolean NOT NULL DEFAULT false;
ALTER TABLE workspaces ADD COLUMN locale text NOT NULL DEFAULT '';

ALTER TABLE queues ADD COLUMN managed jsonb;
ALTER TABLE blackouts ADD COLUMN managed jsonb;
COMMENT ON COLUMN queues.managed IS 'the collection and the file that describe the queue, with a digest of what was applied; null for none';
COMMENT ON COLUMN blackouts.managed IS 'as in queues';
ALTER TABLE blackouts ADD COLUMN label text NOT NULL DEFAULT '';
COMMENT ON COLUMN blackouts.label IS 'a hold of posts with this label alone; empty for all posts';

ALTER TABLE accounts ADD COLUMN warnings text[] NOT NULL DEFAULT '{}';
ALTER TABLE accounts ADD COLUMN file_limits jsonb;
ALTER TABLE accounts ADD COLUMN paused_by text NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN results_asked_at timestamptz;
COMMENT ON COLUMN accounts.results_asked_at IS 'when a client last asked for results to be read; null for never';
COMMENT ON COLUMN accounts.paused_by IS 'the kind of the error that paused the account; empty if it is not known';
COMMENT ON COLUMN accounts.file_limits IS 'the limits of files that the network reports; null for none';
COMMENT ON COLUMN accounts.warnings IS 'what the network does not let the credentials do, at the last check';

CREATE TABLE collections (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    name         text NOT NULL,
    source       text NOT NULL,
    commit_hash  text NOT NULL,
    committed_at timestamptz,
    applied_at   timestamptz,
    applied_by   uuid,
    key_name     text NOT NULL,
    share_id     uuid,
    created_at   timestamptz
);
CREATE INDEX collections_of_workspace ON collections (workspace_id, id);
COMMENT ON COLUMN collections.source IS 'the repository that the files are in';
COMMENT ON COLUMN collections.commit_hash IS 'the last applied commit; empty if it is not known';
COMMENT ON COLUMN collections.applied_by IS 'the API key that applied the files last; null for none, and key_name its name';
COMMENT ON COLUMN collections.share_id IS 'the share of the key that was used; null for none';

CREATE TABLE aliases (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    kind         text NOT NULL,
    name         text NOT NULL,
    account_ids  uuid[] NOT NULL,
    content      text NOT NULL,
    created_at   timestamptz,
    updated_at   timestamptz
);
CREATE INDEX aliases_of_workspace ON aliases (workspace_id, id);
COMMENT ON COLUMN aliases.kind IS 'group or snippet';
COMMENT ON COLUMN aliases.account_ids IS 'the accounts of a group';
COMMENT ON COLUMN aliases.content IS 'the text of a snippet';

CREATE TABLE shares (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    kind         text NOT NULL,
    name         text NOT NULL,
    rights       text NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    post_ids     uuid[] NOT NULL,
    account_ids  uuid[] NOT NULL,
    labels       text[] NOT NULL,
    approval     text NOT NULL,
    key_id       uuid,
    expires_at   timestamptz,
    created_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    uses         bigint NOT NULL
);
CREATE INDEX shares_of_workspace ON shares (workspace_id, id);
COMMENT ON COLUMN shares.kind IS 'review or calendar';
COMMENT ON COLUMN shares.rights IS 'view, comment or decide';
COMMENT ON COLUMN shares.hash IS 'SHA-256 of the token in the address';
COMMENT ON COLUMN shares.key_id IS 'the API key that made the share, which ends with it';
COMMENT ON COLUMN shares.approval IS 'the state of posts that the share covers; empty for any';

CREATE TABLE results (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    post_id      uuid,
    account_id   uuid,
    published_at timestamptz,
    latest       jsonb,
    read_at      timestamptz,
    points       jsonb,
    next_at      timestamptz,
    reason       text NOT NULL,
    missed_at    timestamptz,
    removed_at   timestamptz,
    reported     jsonb,
    reported_at  timestamptz,
    parts        jsonb,
    estimated    boolean NOT NULL DEFAULT false
);
CREATE INDEX results_of_workspace ON results (workspace_id, id);
CREATE INDEX results_due ON results (next_at, id) WHERE next_at IS NOT NULL;
COMMENT ON COLUMN results.id IS 'the target';
COMMENT ON COLUMN results.latest IS 'what the network reported last; null for nothing';
COMMENT ON COLUMN results.points IS 'the readings, with their times';
COMMENT ON COLUMN results.next_at IS 'when the target is read next; null for never';
COMMENT ON COLUMN results.missed_at IS 'when the network first did not have the post; null if it has';
COMMENT ON COLUMN results.reported IS 'numbers that clients gave; null for none';
COMMENT ON COLUMN results.removed_at IS 'when the network first did not have a post that it no longer has; null for others';

COMMENT ON COLUMN results.parts IS 'the numbers of the further parts of a thread; null for none';
COMMENT ON COLUMN results.estimated IS 'whether the latest numbers are estimates';

CREATE TABLE account_results (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL,
    read_at       timestamptz,
    requests      jsonb,
    month         timestamptz,
    spent         bigint NOT NULL,
    reason        text NOT NULL,
    lacks         text[] NOT NULL,
    dropped       jsonb,
    gains         bytea
);
CREATE INDEX account_results_of_workspace ON account_results (workspace_id, id);
COMMENT ON COLUMN account_results.id IS 'the account';
COMMENT ON COLUMN account_results.requests IS 'the requests of readings of the last day, by hour';
COMMENT ON COLUMN account_results.month IS 'the beginning of the month of spent';
COMMENT ON COLUMN account_results.spent IS 'what readings cost in the month, in millionths of a US dollar';
COMMENT ON COLUMN account_results.reason IS 'why the last reading brought no numbers; empty if it did';
COMMENT ON COLUMN account_results.lacks IS 'permissions that the credentials lacked at the last reading';
COMMENT ON COLUMN account_results.dropped IS 'metrics that the network refused lately';
COMMENT ON COLUMN account_results.gains IS 'what the posts gained, by hour; packed';

ALTER TABLE posts ADD COLUMN source_id uuid, ADD COLUMN source_item_id uuid;
COMMENT ON COLUMN posts.source_id IS 'the source that made the post; null for none';
COMMENT ON COLUMN posts.source_item_id IS 'the item that the source made the post of; null for none';

CREATE TABLE sources (
    id              uuid PRIMARY KEY,
    workspace_id    uuid NOT NULL,
    key_id          uuid,
    name            text NOT NULL,
    settings        jsonb NOT NULL,
    state           text NOT NULL,
    fault           jsonb,
    managed         jsonb,
    credentials     bytea,
    secret          bytea,
    previous_secret bytea,
    previous_until  timestamptz,
    progress        jsonb NOT NULL,
    wake_at         timestamptz,
    inherits        uuid[] NOT NULL,
    created_at      timestamptz,
    updated_at      timestamptz,
    removed_at      timestamptz,
    version         bigint NOT NULL
);
CREATE INDEX sources_of_workspace ON sources (workspace_id, id);
CREATE INDEX sources_due ON sources (wake_at, id) WHERE wake_at IS NOT NULL;
COMMENT ON COLUMN sources.key_id IS 'the API key that the source acts for';
COMMENT ON COLUMN sources.settings IS 'what clients set';
COMMENT ON COLUMN sources.fault IS 'why the source is held or failing; null if it is not';
COMMENT ON COLUMN sources.credentials IS 'how its URL is read, sealed; null for none';
COMMENT ON COLUMN sources.progress IS 'what the daemon knows from its fetches';
COMMENT ON COLUMN sources.wake_at IS 'when the daemon works on the source next; null for never';
COMMENT ON COLUMN sources.inherits IS 'removed sources of the same address, whose items this one knows';
COMMENT ON COLUMN sources.removed_at IS 'when it was removed; null unless it was. Its items are known for 90 days';

CREATE TABLE source_items (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL,
    source_id     uuid,
    state         text NOT NULL,
    reason        text NOT NULL,
    title         text NOT NULL,
    link          text NOT NULL,
    author        text NOT NULL,
    published_at  timestamptz,
    first_seen_at timestamptz,
    seen_at       timestamptz,
    gone_at       timestamptz,
    due_at        timestamptz,
    keys          text[] NOT NULL,
    round         bigint NOT NULL,
    post_id       uuid,
    content       bytea
);
CREATE INDEX source_items_of_workspace ON source_items (workspace_id, id);
CREATE INDEX source_items_by_state ON source_items (workspace_id, source_id, state, id);
CREATE INDEX source_items_of_source ON source_items (workspace_id, source_id, id);
CREATE INDEX source_items_by_key ON source_items USING gin (keys);
COMMENT ON COLUMN source_items.keys IS 'hashes by which the item is known; the first one names its post';
COMMENT ON COLUMN source_items.due_at IS 'when a waiting item is looked at again; null for others';
COMMENT ON COLUMN source_items.gone_at IS 'when the item left its feed; null while it is in it';
COMMENT ON COLUMN source_items.content IS 'what a post may still be made of, as JSON; null for nothing';

-- Keys that administer a workspace may share, and may make sources.
UPDATE api_keys SET scopes = array_append(scopes, 'shares:write')
	WHERE scopes @> '{posts:write,accounts:write,webhooks:write,keys:write,posts:approve}' AND coalesce(cardinality(account_ids), 0) = 0
		AND NOT agent AND NOT scopes @> '{shares:write}';
UPDATE api_keys SET scopes = array_append(scopes, 'sources:write')
	WHERE scopes @> '{posts:write,accounts:write,webhooks:write,keys:write,posts:approve}' AND coalesce(cardinality(account_ids), 0) = 0
		AND NOT agent AND NOT scopes @> '{sources:write}';

-- The program copies the alt texts of assets into posts after this; see alt_texts.go.
INSERT INTO notes (name, value) SELECT 'alt texts to copy', '' WHERE EXISTS (SELECT 1 FROM media_assets)
	OR EXISTS (SELECT 1 FROM posts WHERE review IS NOT NULL) OR EXISTS (SELECT 1 FROM series);
