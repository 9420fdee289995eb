// Package browse holds the command that browses and changes posts on the whole screen.
package browse
