package main

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

var update = flag.Bool("update", false, "rewrite the generated files")

func TestHelpTopics(t *testing.T) {
	t.Parallel()
	names := []string{"time"}
	for _, topic := range cli.Topics() {
		names = append(names, topic.Name)
	}
	if !slices.IsSorted(names[1:]) {
		t.Errorf("the topics %v are not in the order of their names", names[1:])
	}
	for _, name := range names {
		m := newMachine(t, nil)
		if status := m.run(t, "help", name); status != 0 {
			t.Errorf("help %s: exit status %d: %s", name, status, &m.err)
		}
		for _, line := range strings.Split(m.out.String(), "\n") {
			if cli.TextWidth(line) > 90 && name != "time" {
				t.Errorf("help %s: a line of %d columns: %s", name, cli.TextWidth(line), line)
			}
		}
	}
}

// TestHelpTellsEveryVariable guards that the help lists every environment variable
// that the program reads, and no other.
func TestHelpTellsEveryVariable(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"TZ", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}                      // package time and xdg look at them
	elsewhere = append(elsewhere, "CLAUDECODE", "CURSOR_AGENT", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT") // a table in package cli
	var told []string
	for _, group := range cli.Variables {
		for _, v := range group {
			told = append(told, v.Name)
		}
	}
	read := append(readVariables(t), elsewhere...)
	for _, name := range read {
		if !slices.Contains(told, name) {
			t.Errorf("the program reads %s, and the help does not list it", name)
		}
	}
	for _, name := range told {
		if !slices.Contains(read, name) {
			t.Errorf("the help lists %s, and the program does not read it", name)
		}
	}
}

// readVariables returns the names that the sources of the program give to
// getenv, os.Getenv and os.LookupEnv.
func readVariables(t *testing.T) (names []string) {
	t.Helper()
	rooms, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, rooms...)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || len(call.Args) != 1 {
				return true
			}
			function, is := call.Fun.(*ast.SelectorExpr)
			if !is || !slices.Contains([]string{"getenv", "Getenv", "LookupEnv"}, function.Sel.Name) {
				return true
			}
			if text, is := call.Args[0].(*ast.BasicLit); is {
				name, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			return true
		})
	}
	if len(names) == 0 {
		t.Fatal("the program reads no variable")
	}
	return names
}
