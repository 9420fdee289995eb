// Package browse holds the command that browses and changes posts on the full screen.
package browse
