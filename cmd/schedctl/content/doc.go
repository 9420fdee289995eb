// Package content has what the commands about posts and series share: how content is shown,
// and the flags that set it.
package content
