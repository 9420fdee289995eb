package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/api"
)

// The table of error codes has the statuses and exit codes of the program, in the
// order of the codes.
func TestTableOfCodes(t *testing.T) {
	t.Parallel()
	var want []string
	for _, code := range schedctl.Codes() {
		want = append(want, fmt.Sprintf("| `%s` | %d | %d |", code, api.Status(code), cli.ExitByCode[code]))
	}
	got := tableUnder(t, "docs/api.md", "| code | HTTP | exit |")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The table of exit codes has those of the program and of its help.
func TestTableOfExitCodes(t *testing.T) {
	t.Parallel()
	var want, got []int
	for _, e := range cli.ExitMeanings {
		want = append(want, e.Status)
	}
	for _, row := range tableUnder(t, "docs/posts.md", "| code | meaning |") {
		cell := strings.TrimSpace(strings.Split(row, "|")[1])
		status, err := strconv.Atoi(cell)
		if err != nil {
			t.Errorf("%q is not an exit code", cell)
		}
		got = append(got, status)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The tables of platforms name every platform and the command that connects it.
func TestTablesOfPlatforms(t *testing.T) {
	t.Parallel()
	for file, header := range map[string]string{
		"README.md":        "| network | connect an account | if the outcome is unknown | tested against |",
		"docs/networks.md": "| platform | connect | if the outcome of a request is unknown |",
	} {
		var got []string
		for _, row := range tableUnder(t, file, header) {
			_, command, _ := strings.Cut(row, "`schedctl account add ")
			got = append(got, regexp.MustCompile(`^\w+`).FindString(command))
		}
		slices.Sort(got)
		if diff := cmp.Diff(account.PlatformNames(), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", file, diff)
		}
	}
}

// tableUnder returns the rows of a document's table with this header.
func tableUnder(t *testing.T, file, header string) []string {
	t.Helper()
	table := regexp.MustCompile(regexp.QuoteMeta(header) + `\n[|-]+\n((?:\|.*\n)+)`).FindStringSubmatch(documents(t)[file])
	if table == nil {
		t.Fatalf("%s has no table %q", file, header)
	}
	return strings.Split(strings.TrimSpace(table[1]), "\n")
}
