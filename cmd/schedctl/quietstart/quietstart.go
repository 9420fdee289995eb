// Package quietstart prevents terminal libraries from querying the colors of the
// terminal at every start of the program.
//
// Package bubbletea does that in its initialization, even if no form is shown. Every
// command would write escape sequences to the terminal, lose keys that were typed
// ahead, and wait five seconds for a terminal that does not respond. The query is
// skipped on a dumb terminal, so this package sets TERM to dumb until [End]. It imports
// only os and is therefore initialized first: packages are initialized in the order
// of their paths, as soon as their imports are.
package quietstart

import "os"

var terminal, terminalSet = os.LookupEnv("TERM")

func init() { os.Setenv("TERM", "dumb") }

// End gives the program the environment that it was started with. It is to be
// called from an init function of package main, which is the last to run.
func End() {
	if terminalSet {
		os.Setenv("TERM", terminal)
	} else {
		os.Unsetenv("TERM")
	}
}
