-- +goose Up
ALTER TABLE webhooks ADD COLUMN notify jsonb;
COMMENT ON COLUMN webhooks.notify IS 'how a notification reaches people; null for a webhook';
