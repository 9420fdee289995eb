//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// runOnTerminal needs the pseudo-terminals of Linux; scripts ask [linux] first.
func runOnTerminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there are no terminals for tests on this system")
}
