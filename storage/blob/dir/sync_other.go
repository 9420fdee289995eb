//go:build !windows

package dir

// canSyncDirs makes errors of syncing a directory errors of Put.
const canSyncDirs = true
