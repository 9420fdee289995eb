package cost_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzTargetsBoundTheCost guards that no fuzz target accepts an input that takes
// forever: each of them calls Check, itself or through a function of its package, or hands
// it to the suite that has its body.
func TestFuzzTargetsBoundTheCost(t *testing.T) {
	t.Parallel()
	targets := 0
	for dir, functions := range testFunctions(t, "../..") {
		for name, body := range functions {
			if !strings.HasPrefix(name, "Fuzz") {
				continue
			}
			targets++
			if !checks(body, functions, map[string]bool{name: true}) {
				t.Errorf("%s in %s has no limit for the cost of an input; start its function with: defer cost.Check(t, len(data))()", name, dir)
			}
		}
	}
	if targets < 30 {
		t.Errorf("only %d fuzz targets are found", targets)
	}
}

// checks reports whether a function calls Check.
func checks(body *ast.FuncDecl, functions map[string]*ast.FuncDecl, seen map[string]bool) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		for _, arg := range call.Args {
			found = found || isCheck(arg)
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			found = found || isCheck(f)
		case *ast.Ident:
			if next := functions[f.Name]; next != nil && !seen[f.Name] {
				seen[f.Name] = true
				found = found || checks(next, functions, seen)
			}
		}
		return !found
	})
	return found
}

// isCheck reports whether an expression is the function Check.
func isCheck(x ast.Expr) bool {
	f, ok := x.(*ast.SelectorExpr)
	return ok && f.Sel.Name == "Check" && mentionsCost(f.X)
}

// mentionsCost reports whether an expression is package cost, or a limit that is named
// after it.
func mentionsCost(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && strings.Contains(strings.ToLower(id.Name), "cost")
		return !found
	})
	return found
}

// testFunctions returns the functions of the test files of each directory.
func testFunctions(t *testing.T, root string) map[string]map[string]*ast.FuncDecl {
	t.Helper()
	all := map[string]map[string]*ast.FuncDecl{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if all[dir] == nil {
			all[dir] = map[string]*ast.FuncDecl{}
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				all[dir][f.Name.Name] = f
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
