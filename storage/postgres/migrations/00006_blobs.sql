-- +goose Up
CREATE TABLE blobs (
    key bytea PRIMARY KEY,
    id uuid NOT NULL,
    size bigint NOT NULL,
    modified_at timestamptz NOT NULL
);
COMMENT ON TABLE blobs IS 'the bytes of media, see blob_chunks';
COMMENT ON COLUMN blobs.key IS 'SHA-256 of the bytes';
COMMENT ON COLUMN blobs.id IS 'blob_id of the chunks; a new one for each upload';
COMMENT ON COLUMN blobs.modified_at IS 'when the bytes were uploaded last';

CREATE TABLE blob_chunks (
    blob_id uuid,
    number integer,
    bytes bytea NOT NULL,
    PRIMARY KEY (blob_id, number)
);
COMMENT ON COLUMN blob_chunks.number IS 'from 0; each chunk has 1 MiB, the last one less';
-- pictures and videos are compressed already
ALTER TABLE blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
