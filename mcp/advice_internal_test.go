package mcp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/schedctl/schedctl"
)

// callersOfAllKinds are callers with the scopes that keys of agents have.
func callersOfAllKinds() map[string]Caller {
	return map[string]Caller{
		"an agent":     {Scopes: []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsDraft, schedctl.ScopeAccountsRead}},
		"a publisher":  {Scopes: []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopeAccountsRead}},
		"a reader":     {Scopes: []schedctl.Scope{schedctl.ScopePostsRead}},
		"drafts alone": {Scopes: []schedctl.Scope{schedctl.ScopePostsDraft}},
		"posts alone":  {Scopes: []schedctl.Scope{schedctl.ScopePostsWrite}},
		"accounts":     {Scopes: []schedctl.Scope{schedctl.ScopeAccountsRead}},
		"nothing":      {},
	}
}

// TestAdviceIsPossible: errors name only tools that the caller has.
func TestAdviceIsPossible(t *testing.T) {
	t.Parallel()
	for kind, caller := range callersOfAllKinds() {
		check := func(text string) {
			t.Helper()
			for _, word := range toolWord.FindAllString(text, -1) {
				if of := findTool(word); of != nil && !caller.allows(of.scopes) {
					t.Errorf("%s has no %s: %s", kind, word, text)
				}
			}
		}
		for _, tool := range allTools() {
			if !caller.allows(tool.scopes) {
				continue
			}
			tool.describe()
			c := &call{Caller: caller, tool: tool}
			for code := range nextSteps {
				next := c.nextStep(code)
				if check(next); next == "" && caller.allows(readsPosts) && caller.allows(writesDrafts) || strings.Contains(next, "TOOL") {
					t.Errorf("%s, %s, %s: %q", kind, tool.name, code, next)
				}
			}
			for _, name := range tool.schema.Required {
				check(strings.ReplaceAll((checker{c, tool}).missing(part{tool.checked, arguments{}, ""}, name).Error(), tool.name, ""))
			}
		}
		if caller.has("create_series") {
			for code := range seriesSteps {
				err := (&call{Caller: caller}).aboutSeries(schedctl.Errorf(code, "", "no"))
				if check(err.Error()); !strings.Contains(err.Error(), "no; ") {
					t.Errorf("%s, %s: %s", kind, code, err)
				}
			}
		}
		for name := range otherNames {
			result, err := noSuchTool(caller, name)
			if err != nil || result == nil || findTool(name) != nil {
				t.Fatalf("%s: %v", name, err)
			}
			check(result.Content[0].(*sdk.TextContent).Text)
		}
		for _, of := range toolsOf {
			check(caller.forTools("call " + of.method + " /api/v1/posts" + of.path + " first"))
		}
	}
}

// toolVerbs start the names of tools.
var toolVerbs = regexp.MustCompile(`^(?:add|approve|cancel|check|create|delete|describe|edit|get|list|publish|queue|reschedule|retry|schedule|skip|split|submit|unschedule|update|upload|withdraw)_`)

// withArgument matches a tool and an argument of it.
var withArgument = regexp.MustCompile(`\b([a-z]+_[a-z]+) with(?:out)? ([a-z_]+)`)

// TestAdviceNamesWhatExists: each tool that a text of this package names exists, and has the
// argument that the text names with it.
func TestAdviceNamesWhatExists(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for name := range otherNames {
		known[name] = true
	}
	for _, tool := range allTools() {
		tool.describe()
		known[tool.name] = true
		for name := range tool.schema.Properties {
			known[name] = true
		}
	}
	found := 0
	for text := range textsOfPackage(t) {
		for _, word := range toolWord.FindAllString(text, -1) {
			if found++; toolVerbs.MatchString(word) && !known[word] {
				t.Errorf("no tool %s: %q", word, text)
			}
		}
		for _, m := range withArgument.FindAllStringSubmatch(text, -1) {
			if tool := findTool(m[1]); tool != nil && tool.schema.Properties[m[2]] == nil {
				t.Errorf("%s has no %s: %q", m[1], m[2], text)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d names", found)
	}
}

// textsOfPackage returns the strings of the files of this package.
func textsOfPackage(t *testing.T) map[string]bool {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				texts[text] = true
			}
			return true
		})
	}
	return texts
}
