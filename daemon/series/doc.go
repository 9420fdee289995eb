// Package series makes the posts of recurring posts, and changes them with their series.
//
// An occurrence is decided once: its post is made, or it is left out. The cursor of a
// series says which occurrences are decided. The ids of a post and of its targets follow
// from the series and the local time, so deciding an occurrence again is harmless: a post
// that exists, canceled ones included, is not made again, and neither is an exdate.
//
// All functions work in the caller's transaction. The API calls them in requests, and the
// planner calls [Make] when a sweep is due.
package series
