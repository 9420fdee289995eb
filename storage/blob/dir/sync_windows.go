package dir

// canSyncDirs is false because Windows cannot sync a directory.
const canSyncDirs = false
