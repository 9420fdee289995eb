package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/failpoint"
)

// The overlay matches this version of Go, and clockControl returns the time that was set.
func TestClockCanBeSet(t *testing.T) {
	t.Parallel()
	h := &harness{dir: t.TempDir()}
	overlay, err := h.overlay(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clock, err := h.newClockControl()
	if err != nil {
		t.Fatal(err)
	}
	defer clock.close()
	if err := clock.jump(10 * 24 * time.Hour); err != nil {
		t.Fatal(err)
	}
	if ahead := time.Until(clock.now()); ahead < 9*24*time.Hour {
		t.Errorf("the clock is %v ahead", ahead)
	}
	text, err := os.ReadFile(overlay)
	if err != nil || !strings.Contains(string(text), "torture_shift.go") || !strings.Contains(string(text), "daemon/clock/machine_") {
		t.Errorf("overlay %s, %v", text, err)
	}
}

func TestFaultsCoverEveryPointAndAction(t *testing.T) {
	t.Parallel()
	for _, quick := range []bool{true, false} {
		missing := map[string]bool{}
		for _, p := range failpoint.Points() {
			for _, a := range actions {
				missing[string(p)+a] = true
			}
		}
		list := failpointFaults(quick)
		for _, b := range list {
			delete(missing, string(b.point)+b.action)
		}
		if len(missing) > 0 {
			t.Errorf("quick %v: %d failures without %v", quick, len(list), missing)
		}
	}
}
