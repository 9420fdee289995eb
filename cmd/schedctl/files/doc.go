// Package files holds the commands that manage posts as files: lint, plan, apply,
// and the export of posts to files.
package files
