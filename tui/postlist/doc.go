// Package postlist is what the screens and dialogs about posts share: the [Feed] of posts
// with its pages, rows and details of posts, free slots, changes and how they are undone.
// Its renderers get a [Scene]. It calls no daemon, except for reading slots.
package postlist
