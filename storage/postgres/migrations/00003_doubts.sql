-- +goose Up
ALTER TABLE targets ADD COLUMN ask_at timestamptz, ADD COLUMN unreached bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN targets.ask_at IS 'when the network is asked or called next; next_attempt_at is the place in the queue then';
ALTER TABLE attempts ADD COLUMN asks bigint NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN disrupted_since timestamptz;
