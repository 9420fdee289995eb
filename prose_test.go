package schedctl_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// phrases are what readers of technical English stumble over, and what to write
// instead. Some are right now and then, so a package may have a few of them.
var phrases = []struct{ pattern, instead string }{
	{`\btold\b|\btells\b|\btelling\b|\btell (of|about|whether|nobody|who|what)\b`, "report, notify, log, show"},
	{`\b(is|are|was|were|be|been) none\b`, "does not exist, is missing, no ..."},
	{`\banew\b`, "again, rebuild, recreate"},
	{`(?:^|[^@"])\b(nobody|somebody)('s)?\b|\bwhoever\b`, "name the actor: the client, the node, the operator"},
	{`\b(is|are|was|be) had\b`, "can be reached, exists"},
	{`\b(is|are|was|were|be) looked (at|for|up|again)\b|\blooks again\b`, "check, search, read"},
	{`\bthat (is|are|was|were) (there|gone|ours|none|meant|like it)\b`, "existing, deleted, missing"},
	{`\b(goes|go|went|going) on\b`, "continue"},
	{`(?m)(?:[.:;] |^)What (is|was|has|goes|comes|came|failed|happens|leaves|does|they|it|cannot|may|nobody|a|the)\b`, "name the subject"},
	{`(?m)(?:[.:;] |^)Who (asks|has|is|can|may|wants|knows|reads|stands|calls|writes|makes)\b|\bwho asks\b`, "name the actor"},
	{`\b(called|held|put) (off|back)\b`, "cancel, hold"},
	{`\bin the place of\b|\bbeside\b|\bby (itself|themselves)\b`, "instead of, next to, automatically"},
	{`\bhea(rs?|rd) (of|nothing)\b`, "receive"},
	{`\bstands? (there|twice|once|in|for what|by)\b`, "appears, exists"},
	{`\banswer(s|ed)?\b`, "response, respond, return"},
	{`\b(begins?|begun|began)\b`, "start"},
	{`\bfor what (it|they) (is|are)\b|\btakes? (it|them) for\b|\btaken for\b`, "treat as, mistake"},
	{`\bnothing (goes|leaves|comes|rests|else than)\b`, "name the subject: no post is ..."},
	{`\bone (that|which|who) (is|has|was|does|cannot|can|came|asks)\b`, "repeat the noun"},
	{`\b(is|are|was|were) said\b|\bsaid to\b`, "is documented, reports"},
	{`\bmeanwhile\b|\b(on the|as a) whole\b`, "in the meantime is rarely needed: say when"},
	{`\bwhat (it|they) (has|have|had|is|are|was|were)\b`, "name the thing"},
}

// maxPhrases is how many of the phrases 10,000 words may have.
const maxPhrases = 15

// sqlWords are in statements of SQL, which are no prose.
var sqlWords = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|CREATE|BEGIN|TRUNCATE)\b`)

// TestPlainEnglish guards that comments, messages and pages stay plain English, folder
// by folder.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the race detector has nothing to find here, and makes it slow")
	}
	folders := map[string]*strings.Builder{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"testdata", "bin", "dist", "node_modules"}, name) || len(name) > 1 && name[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || name == "CHANGELOG.md" || name == "prose_test.go":
			return nil
		}
		dir := filepath.Dir(path)
		if folders[dir] == nil {
			folders[dir] = &strings.Builder{}
		}
		text, err := os.ReadFile(path)
		switch filepath.Ext(name) {
		case ".md":
			folders[dir].Write(text)
		case ".go":
			writeProse(folders[dir], text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, text := range folders {
		checkProse(t, dir, text.String())
	}
}

// checkProse reports the phrases of a folder if there are too many. Five are always
// allowed, so that a short text may have them.
func checkProse(t *testing.T, dir, text string) {
	t.Helper()
	var found []string
	for _, p := range phrases {
		for _, at := range regexp.MustCompile("(?i)"+p.pattern).FindAllStringIndex(text, -1) {
			around := text[max(0, at[0]-40):min(len(text), at[1]+40)]
			found = append(found, fmt.Sprintf("%q: better: %s", strings.ToValidUTF8(around, ""), p.instead))
		}
	}
	if words := len(strings.Fields(text)); len(found) > max(5, words*maxPhrases/10_000) {
		t.Errorf("%s has %d phrases in %d words that readers stumble over:\n\t%s", dir, len(found), words, strings.Join(found, "\n\t"))
	}
}

// writeProse writes the comments of Go code, and its string literals of at least four
// words. Generated code has no prose.
func writeProse(to *strings.Builder, code []byte) {
	if strings.Contains(string(code[:min(len(code), 400)]), "Code generated") {
		return
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, code, nil, scanner.ScanComments)
	for {
		_, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return
		case kind == token.COMMENT:
			to.WriteString(strings.TrimPrefix(text, "//") + "\n")
		case kind == token.STRING && len(strings.Fields(text)) >= 4 && !sqlWords.MatchString(text):
			to.WriteString(text[1:len(text)-1] + "\n")
		}
	}
}
