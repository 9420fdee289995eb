-- +goose Up
ALTER TABLE posts ADD COLUMN extra jsonb;
ALTER TABLE targets ADD COLUMN extra jsonb, ADD COLUMN done jsonb, ADD COLUMN part_ids jsonb,
    ADD COLUMN comment_status text NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN part bigint NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN thread_target_id uuid, ADD COLUMN poll_limits jsonb;
ALTER TABLE events ADD COLUMN parts jsonb;
CREATE INDEX targets_by_part ON targets USING gin (part_ids jsonb_path_ops) WHERE part_ids IS NOT NULL;
COMMENT ON COLUMN posts.extra IS 'thread, first comment, poll, link preview, content warning, visibility, language, title and style; null for none';
COMMENT ON COLUMN targets.extra IS 'replaces fields of posts.extra; null for no override, an empty thread for no thread, a poll without options for no poll';
COMMENT ON COLUMN targets.done IS 'the parts that the network has, in order; null unless the target has several parts';
COMMENT ON COLUMN targets.part_ids IS 'account_id without hyphens, a space, and the network''s id of each part in done';
COMMENT ON COLUMN targets.comment_status IS 'status of the first comment of a published target; otherwise empty';
COMMENT ON COLUMN attempts.part IS 'index of the first part that the request publishes';
COMMENT ON COLUMN accounts.thread_target_id IS 'the target whose thread the account started last';
COMMENT ON COLUMN accounts.poll_limits IS 'limits of polls that the network reports; null for none';
COMMENT ON COLUMN events.parts IS 'of a target with several parts: those that its network has; otherwise null';
