// Package series holds the commands about series, which are recurring posts. The commands
// that create and edit a series share the flags of posts, so package post has them.
package series
