package schedctl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// daemonCode are the directories of what runs in the daemon.
var daemonCode = []string{"daemon", "storage", "mcp", "cmd/schedctl/server"}

// usesProxies are the names of package net/http that use the proxy variables of the
// environment.
var usesProxies = []string{"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm", "ProxyFromEnvironment"}

// TestDaemonIgnoresProxies guards that no client of the daemon uses the proxy variables of
// the environment: a proxy would receive what is meant for another server, and connect to
// private addresses. TestNoURLLeadsInside and TestNoProxy check the clients at work.
func TestDaemonIgnoresProxies(t *testing.T) {
	t.Parallel()
	files := 0
	for _, dir := range daemonCode {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Base(filepath.Dir(path)), "test") {
				return err
			}
			files++
			return checkClients(t, path)
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were read", files)
	}
}

func checkClients(t *testing.T, path string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "http" && slices.Contains(usesProxies, n.Sel.Name) {
				t.Errorf("%s: http.%s uses the proxies of the environment; use a client with a transport", set.Position(n.Pos()), n.Sel.Name)
			}
		case *ast.CompositeLit:
			if isClient(n) && !hasTransport(n) {
				t.Errorf("%s: a client without a transport uses the proxies of the environment", set.Position(n.Pos()))
			}
		}
		return true
	})
	return nil
}

// isClient reports whether a literal is an http.Client.
func isClient(n *ast.CompositeLit) bool {
	s, ok := n.Type.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Client" {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "http"
}

func hasTransport(n *ast.CompositeLit) bool {
	return slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := kv.Key.(*ast.Ident)
		return ok && key.Name == "Transport"
	})
}
