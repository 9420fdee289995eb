// Package source holds the commands about sources: feeds whose items become posts.
package source
