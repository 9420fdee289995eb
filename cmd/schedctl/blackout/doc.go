// Package blackout holds the commands about blackouts: periods in which accounts do not
// publish. The commands pause and resume are their short forms.
package blackout
