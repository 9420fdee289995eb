package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is the root of the source tree.
const repository = "../.."

// documents returns the texts of the documents for users and contributors, by
// their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil || len(paths) < 5 {
			t.Fatalf("%s: %q, %v", pattern, paths, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(repository, path)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.ToSlash(name)] = string(text)
		}
	}
	return texts
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Links between documents lead to files and headings that exist.
func TestDocumentLinks(t *testing.T) {
	t.Parallel()
	texts := documents(t)
	for name, text := range texts {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target := match[1]
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			path := name
			if file != "" {
				path = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(filepath.Join(repository, path)); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, target)
			} else if anchor != "" && !slices.Contains(anchors(texts[path]), anchor) {
				t.Errorf("%s: %s has no heading for #%s", name, path, anchor)
			}
		}
	}
}

// anchors returns the anchors of the headings of a document, as GitHub makes them.
func anchors(text string) (list []string) {
	for _, match := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		anchor := strings.ReplaceAll(strings.ToLower(match[1]), " ", "-")
		list = append(list, regexp.MustCompile(`[^\w-]`).ReplaceAllString(anchor, ""))
	}
	return list
}

var (
	commandSpan = regexp.MustCompile("`schedctl ([a-z][^`\n]*)`")
	commandLine = regexp.MustCompile(`(?m)^(?:\$ )?schedctl ([a-z].*)$`)
)

// Commands and flags that documents name exist.
func TestDocumentCommands(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, text := range documents(t) {
		if name == "CHANGELOG.md" {
			continue // it names commands of earlier versions as well
		}
		found := commandSpan.FindAllStringSubmatch(text, -1)
		for _, block := range fenced.FindAllString(text, -1) {
			found = append(found, commandLine.FindAllStringSubmatch(block, -1)...)
		}
		for _, match := range found {
			line, _, _ := strings.Cut(match[1], " #")
			if !strings.HasPrefix(line, "help") {
				checked++
				checkCommand(t, name, line)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d commands were found", checked)
	}
}

// checkCommand checks that the command of a line and its flags exist.
func checkCommand(t *testing.T, document, line string) {
	t.Helper()
	args := strings.Fields(line)
	cmd, rest, err := tree(t).Find(args)
	isGroup := cmd.HasSubCommands() && !strings.Contains(cmd.Use, " ") && len(rest) > 0 && !strings.HasPrefix(rest[0], "-")
	if err != nil || !cmd.HasParent() || isGroup {
		t.Errorf("%s: schedctl %s: no such command (%v)", document, line, err)
		return
	}
	cmd.InitDefaultHelpFlag()
	cmd.InheritedFlags() // lets Flag find the flags of parents
	for _, arg := range args {
		flag, isFlag := strings.CutPrefix(strings.TrimPrefix(arg, "["), "--")
		flag = regexp.MustCompile(`^[a-z-]*`).FindString(flag)
		if isFlag && flag != "" && cmd.Flag(flag) == nil {
			t.Errorf("%s: schedctl %s: no flag --%s", document, line, flag)
		}
	}
}
