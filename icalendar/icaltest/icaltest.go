// Package icaltest reads calendars in tests with ical.js, a parser that calendar programs
// use. icalendar/install.sh installs it.
package icaltest

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/installed"
)

// Event is an event as ical.js reads it.
type Event struct {
	UID         string    `json:"uid"`
	Summary     string    `json:"summary"`
	Description string    `json:"description"`
	Sequence    int       `json:"sequence"`
	Status      string    `json:"status"`
	At          time.Time `json:"at"`
	Berlin      string    `json:"berlin"`  // the start on the clocks of Europe/Berlin
	NewYork     string    `json:"newYork"` // the start on the clocks of America/New_York
}

// Calendar is a calendar as ical.js reads it.
type Calendar struct {
	Name           string  `json:"name"`
	RefreshSeconds int     `json:"refreshSeconds"`
	TTL            string  `json:"ttl"`
	Events         []Event `json:"events"`
}

//go:embed read.mjs
var program []byte

// Read reads a calendar. Without ical.js or Node.js the test is skipped, or fails if the
// environment has SCHEDCTL_REQUIRE_ALL=1.
func Read(t *testing.T, calendar string) (c Calendar) {
	t.Helper()
	library := installed.Library(t, "icaljs", "node", "ical.js is not installed: run icalendar/install.sh")
	script := filepath.Join(t.TempDir(), "read.mjs")
	if err := os.WriteFile(script, program, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script, library)
	cmd.Stdin, cmd.Stderr = strings.NewReader(calendar), t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return c
}
