// Package quietstart keeps the libraries of terminal forms from asking the
// terminal for its colours whenever a program starts.
//
// The package bubbletea does so as it is initialized, whether a form is shown or
// not: every command would write escape sequences to a terminal, take away what
// was typed ahead, and wait for five seconds where a terminal does not answer.
// It asks no terminal that says to be dumb, so that is what this package says
// until [End]. It imports nothing but os, and therefore comes first: packages are
// initialized in the order of their paths, as soon as what they import is.
package quietstart

import "os"

var name, given = os.LookupEnv("TERM")

func init() { os.Setenv("TERM", "dumb") }

// End gives the program the environment that it was started with. It is to be
// called from an init function of package main, which is the last to run.
func End() {
	if given {
		os.Setenv("TERM", name)
	} else {
		os.Unsetenv("TERM")
	}
}
