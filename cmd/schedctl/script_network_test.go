package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// startNetwork returns the command "network" of scripts.
func startNetwork(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		fakes := map[string]http.Handler{}
		x := publishtest.NewFakeX()
		x.ClientSecret = "a-client-secret-of-x"
		linkedIn := publishtest.NewFakeLinkedIn()
		linkedIn.Expires = time.Now().Add(60 * 24 * time.Hour)
		fakes["x"], fakes["linkedin"] = x, linkedIn
		if neg || len(args) != 2 || fakes[args[0]] == nil {
			ts.Fatalf("usage: network linkedin|x VAR")
		}
		server := httptest.NewServer(fakes[args[0]])
		ts.Defer(server.Close)
		ts.Setenv(args[1], server.URL)
		ts.Setenv("LOGIN_PORT", publishtest.Ports(t, 1)[0])
	}
}

// fakeBrowser is a browser without a window. It opens an address and follows redirects.
func fakeBrowser() {
	response, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	response.Body.Close()
}
