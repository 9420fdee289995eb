package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/quickhelp"
)

// helpPages returns what each command and topic says when it is asked for help,
// by the words that lead to it.
func helpPages(t *testing.T) (words [][]string, pages []string) {
	t.Helper()
	walk(tree(t), func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		m := newMachine(t, nil)
		if status := m.run(t, append([]string{"help"}, path...)...); status != 0 {
			t.Fatalf("help %s: exit status %d: %s", path, status, &m.err)
		}
		words, pages = append(words, path), append(pages, m.out.String())
	})
	return words, pages
}

// The help of every command is kept as text, and is what the command says.
func TestHelpIsGolden(t *testing.T) {
	t.Parallel()
	const path = "quickhelp/help.txt"
	words, pages := helpPages(t)
	var all strings.Builder
	for i := range words {
		all.WriteString(quickhelp.Heading(words[i]) + pages[i])
	}
	if *update {
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(all.String(), "\n")); diff != "" {
		t.Errorf("%s is stale: run go test ./cmd/schedctl -run TestHelpIsGolden -update and look at the difference, -kept +said:\n%s", path, diff)
	}
}

// However help is asked for, the text that is kept is what the command would say.
func TestQuickHelpSaysWhatTheCommandSays(t *testing.T) {
	t.Parallel()
	asked := [][]string{{"--help"}, {"-h"}, {"help"}}
	walk(tree(t), func(cmd *cobra.Command) {
		if path := strings.Fields(cmd.CommandPath())[1:]; len(path) > 0 {
			asked = append(asked, append([]string{"help"}, path...))
			if cmd.Runnable() {
				asked = append(asked, append(slices.Clone(path), "--help"), append(slices.Clone(path), "-h"))
			}
		}
	})
	for _, args := range asked {
		m := newMachine(t, nil)
		status := m.run(t, args...)
		if page, found := quickhelp.Page(args); !found || page != m.out.String() || status != 0 {
			t.Errorf("%q: found %t, status %d: %s", args, found, status, cmp.Diff(m.out.String(), page))
		}
	}
}

func TestQuickHelpLeavesTheRestToTheCommand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {"post"}, {"post", "list"}, {"psot", "--help"}, {"help", "psot"}, {"post create", "--help"}, {"help", ""}, {"", "-h"},
		{"post", "create", "text", "--help"}, {"--json", "--help"}, {"--help", "post"}, {"post\nlist", "-h"}, {"\fpost", "-h"}, {"help", "post", "--help"},
	} {
		if page, found := quickhelp.Page(args); found {
			t.Errorf("%q is answered with %q", args, page)
		}
	}
}
