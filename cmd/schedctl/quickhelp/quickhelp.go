// Package quickhelp answers who asks for help before the program has started.
//
// The libraries of the daemon, of filters and of forms are initialized in every
// command, which takes several times as long as to show a text. The help of each
// command and topic is therefore kept as text, in help.txt, which a test writes
// and compares with what the command says itself. What is not in it is answered
// by the command: a mistyped name, say, or help that is asked for among other
// arguments.
//
// The package imports little, so it comes early: packages are initialized in the
// order of their paths, as soon as what they import is.
package quickhelp

import (
	_ "embed"
	"os"
	"slices"
	"strings"
)

// text holds the pages, each behind a line of a form feed and the words that
// lead to the command.
//
//go:embed help.txt
var text string

func init() {
	page, found := Page(os.Args[1:])
	if !found {
		return
	}
	if _, err := os.Stdout.WriteString(page); err == nil {
		os.Exit(0) // else the program tells of the error
	}
}

// Page returns the help that arguments ask for, and whether there is one: for the
// words of a command and then --help or -h, and for help and then the words. No
// arguments are left to the program, as that of the tests may have none.
func Page(args []string) (page string, found bool) {
	switch last := len(args) - 1; {
	case last < 0:
		return "", false
	case args[0] == "help":
		args = args[1:]
	case args[last] == "--help" || args[last] == "-h":
		args = args[:last]
	default:
		return "", false
	}
	if slices.ContainsFunc(args, func(word string) bool { return word == "" || strings.ContainsAny(word, " \n\f") }) {
		return "", false
	}
	_, page, found = strings.Cut(text, Heading(args))
	page, _, _ = strings.Cut(page, "\f")
	return page, found
}

// Heading returns what is before the page of a command in help.txt.
func Heading(words []string) string { return "\f" + strings.Join(words, " ") + "\n" }
