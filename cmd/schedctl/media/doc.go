// Package media holds the commands for media assets: pictures, videos and documents
// that posts show. [Flags] attaches files to posts.
package media
