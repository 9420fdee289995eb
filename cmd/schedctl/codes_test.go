package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
)

// The README has the one table that shows what a code means to a program and
// to a script. It must be the tables of the code, in the order of the codes.
func TestREADMETableOfCodes(t *testing.T) {
	t.Parallel()
	var want []string
	for _, code := range schedctl.Codes() {
		want = append(want, fmt.Sprintf("| `%s` | %d | %d |", code, api.Status(code), exitByCode[code]))
	}
	got := tableUnder(t, "| code | HTTP | exit |")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The exit statuses of the README are those of the program, and of its help.
func TestREADMETableOfExitStatuses(t *testing.T) {
	t.Parallel()
	var want, got []int
	for _, e := range exitMeanings {
		want = append(want, e.status)
	}
	for _, row := range tableUnder(t, "| code | meaning |") {
		cell := strings.TrimSpace(strings.Split(row, "|")[1])
		status, err := strconv.Atoi(cell)
		if err != nil {
			t.Errorf("%q is no exit status", cell)
		}
		got = append(got, status)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The README lists every platform, and what happens there when the outcome of a
// publication is unknown.
func TestREADMETableOfPlatforms(t *testing.T) {
	t.Parallel()
	var got []string
	for _, row := range tableUnder(t, "| platform | connect | when the outcome of a call is unknown |") {
		cells := strings.Split(row, "|")
		name := strings.Trim(strings.TrimSpace(cells[1]), "`")
		got = append(got, name)
		if !strings.Contains(cells[2], "`schedctl account add "+name) {
			t.Errorf("%s: the table does not say how to connect it", name)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(platformNames(), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// tableUnder returns the rows of the README's table with this header.
func tableUnder(t *testing.T, header string) []string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(regexp.QuoteMeta(header) + `\n[|-]+\n((?:\|.*\n)+)`).FindSubmatch(text)
	if table == nil {
		t.Fatalf("the README has no table %q", header)
	}
	return strings.Split(strings.TrimSpace(string(table[1])), "\n")
}
