// Package quickhelp answers who asks for help before the program has started.
//
// The libraries of the daemon, of filters and of forms are initialized in every
// command, which takes several times as long as to show a text. The help of each
// command and topic is therefore kept as text, in help.txt, which a test writes
// and compares with what the command says itself. What is not in it is answered
// by the command: a mistyped name, say, or help that is asked for among other
// arguments.
//
// The package imports nothing but os, not even strings, and therefore comes early:
// packages are initialized in the order of their paths, as soon as what they import
// is, and strings is after most of the standard library.
package quickhelp

import (
	_ "embed"
	"os"
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
	for _, word := range args {
		if !isWord(word) {
			return "", false
		}
	}
	heading := Heading(args)
	for rest := text; rest != ""; {
		end := pageEnd(rest)
		if len(heading) <= end && rest[:len(heading)] == heading {
			return rest[len(heading):end], true
		}
		rest = rest[end:]
	}
	return "", false
}

// isWord reports whether a text can be one word of a heading.
func isWord(s string) bool {
	for i := range len(s) {
		if s[i] == ' ' || s[i] == '\n' || s[i] == '\f' {
			return false
		}
	}
	return s != ""
}

// pageEnd returns where the page ends that pages begin with.
func pageEnd(pages string) int {
	for i := 1; i < len(pages); i++ {
		if pages[i] == '\f' {
			return i
		}
	}
	return len(pages)
}

// Heading returns what is before the page of a command in help.txt.
func Heading(words []string) string {
	heading := "\f"
	for i, word := range words {
		if i > 0 {
			heading += " "
		}
		heading += word
	}
	return heading + "\n"
}
