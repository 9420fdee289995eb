package main

import (
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/schedctl/schedctl/scripts/testsize"
)

// untilOutput is the command "until" of scripts. It waits for what a daemon does in its
// own time.
func untilOutput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP command [argument...]")
	}
	want, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for deadline := time.Now().Add(testsize.Patience); ; time.Sleep(50 * time.Millisecond) {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if want.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no output matches %s", want)
		}
	}
}
