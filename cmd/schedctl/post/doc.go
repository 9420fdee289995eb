// Package post holds the commands that write, schedule, follow, import and export
// posts.
package post
