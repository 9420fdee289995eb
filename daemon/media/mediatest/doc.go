// Package mediatest makes sample media files for tests. The same arguments always give the
// same bytes, and different sizes give different bytes.
//
// The pictures can be decoded. Videos and documents have the structure of their format,
// but no content that a player can show.
package mediatest
