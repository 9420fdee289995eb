package schedctl_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainPackages have no phrase of notPlain in comments and messages, tests included.
// The documents are one of them. Add a directory once it is clean.
var plainPackages = strings.Fields(`
	documents
	bench/barecobra bench/page
	client/postfile
	daemon/notify daemon/notify/notifytest daemon/publish daemon/publish/discord daemon/publish/feed daemon/publish/http
	daemon/publish/matrix daemon/publish/outbound daemon/publish/pattern daemon/publish/recorded daemon/publish/signing
	daemon/publish/slack daemon/schedule
	scripts/demo scripts/picture
	storage/bolt/mutant storage/search
`)

// notPlain are phrases that readers of technical English stumble over, and what
// to write instead.
var notPlain = map[string]string{
	`\banew\b`:                                   "again, rebuild, recreate",
	`\b(nobody|somebody|whoever)\b`:              "the client, the operator, no one",
	`\b(is|are|was|were|be|been) none\b`:         "is missing, does not exist",
	`\b(told of|tells? of|hears? of|heard of)\b`: "is notified, receives, logs",
	`\b(begins?|began|begun)\b`:                  "start",
	`\b(goes|go|went|going) on\b`:                "continue",
	`\bin the place of\b`:                        "instead of",
	`\bbeside\b`:                                 "next to, compared with",
	`\bby (itself|themselves)\b`:                 "automatically, alone",
	`\bmeanwhile\b`:                              "in the meantime, since then",
	`\b(called off|held back)\b`:                 "canceled, held",
	`\bthat (is|are|was|were) (there|none)\b`:    "existing, missing",
	`\b(is|are|be|was) had\b`:                    "is available",
}

// Comments, messages and documents use the words of the field.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	var patterns []*regexp.Regexp
	for phrase := range notPlain {
		patterns = append(patterns, regexp.MustCompile("(?i)"+phrase))
	}
	dirty := map[string]int{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != ".") {
				return fs.SkipDir
			}
			return err
		}
		text, err := proseOf(name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if strings.HasSuffix(name, ".md") {
			dir = "documents"
		}
		for _, pattern := range patterns {
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				dirty[dir]++
				if slices.Contains(plainPackages, dir) {
					t.Errorf("%s: …%s…: write: %s", name, strings.ReplaceAll(text[max(0, at[0]-30):min(len(text), at[1]+30)], "\n", " "),
						notPlain[strings.TrimPrefix(pattern.String(), "(?i)")])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("phrases in each directory: %v", dirty)
}

// proseOf returns the comments and messages of a Go file, the text of a document,
// and nothing of other files.
func proseOf(name string) (string, error) {
	isGo := strings.HasSuffix(name, ".go") && name != "prose_test.go"
	isDocument := strings.HasSuffix(name, ".md") && name != "CHANGELOG.md" && name != "docs/reliability.md" // that one has texts of bench
	if !isGo && !isDocument {
		return "", nil
	}
	data, err := os.ReadFile(name)
	if err != nil || isDocument {
		text, _, _ := strings.Cut(string(data), "## Glossary") // which names words not to use
		return text, err
	}
	var b strings.Builder
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(data))
	s.Init(file, data, nil, scanner.ScanComments)
	for {
		_, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return b.String(), nil
		case token.COMMENT:
			fmt.Fprintln(&b, literal)
		case token.STRING:
			text, err := strconv.Unquote(literal)
			if err == nil && len(strings.Fields(text)) > 3 { // a message
				fmt.Fprintln(&b, text)
			}
		}
	}
}
