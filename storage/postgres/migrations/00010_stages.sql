-- +goose Up
ALTER TABLE attempts ADD COLUMN stage text NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN window_posts bigint NOT NULL DEFAULT 0, ADD COLUMN window_ns bigint NOT NULL DEFAULT 0, ADD COLUMN expiry jsonb;
COMMENT ON COLUMN attempts.stage IS 'the network''s id of the staged post that the request publishes; empty before the request, and for networks without stages';
COMMENT ON COLUMN accounts.window_posts IS 'how many posts the network accepts in window_ns nanoseconds; 0 for no known limit';
COMMENT ON COLUMN accounts.expiry IS 'when the credentials end, and how far their renewal is; null if they do not end';
