package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// startNetwork is the command "network" of scripts.
func startNetwork(ts *testscript.TestScript, neg bool, args []string) {
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
	ts.Setenv("LOGIN_PORT", fmt.Sprint(unusedPort(ts)))
}

// unusedPort returns a port that nothing listens on.
func unusedPort(ts *testscript.TestScript) int {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	ts.Check(err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
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
