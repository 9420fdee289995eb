// Command page writes docs/reliability.md: every promise with the command that
// proves it, and the figures of its last run. The figures are in bench.json and
// torture.json next to this program; it first copies those of the last make bench
// and make torture, if there are any.
//
// Usage, in its directory: go run .
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/template"
	"time"
)

//go:generate go run .

const (
	benchFile   = "bench.json"
	tortureFile = "torture.json"
	pageFile    = "../../docs/reliability.md"
)

// runFiles is where the figures come from.
var runFiles = map[string]string{
	"../last.json":         benchFile,
	"../torture/last.json": tortureFile,
}

//go:embed reliability.md.tmpl
var text string

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

func run() error {
	for from, to := range runFiles {
		if err := copyFigures(from, to); err != nil {
			return err
		}
	}
	page, err := write(benchFile, tortureFile)
	if err != nil {
		return err
	}
	return os.WriteFile(pageFile, page, 0o644)
}

// copyFigures copies the figures of a run, if there are any.
func copyFigures(from, to string) error {
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// benchRun is a file of make bench.
type benchRun struct {
	At      time.Time
	CPUs    int
	Results []struct {
		Case, Measured, Goal, Verdict, Detail string
		CPU                                   float64 `json:"cpu_per_op_us"`
		Memory                                int64   `json:"rss_anon_bytes"`
	}
}

// tortureRun is a file of make torture.
type tortureRun struct {
	At      time.Time
	CPUs    int
	Seed    uint64
	Quick   bool
	Results []struct {
		Scenario, Promise, Verdict, Detail string
		Counts                             map[string]int64
	}
}

// write returns the page.
func write(benchPath, torturePath string) ([]byte, error) {
	var figures struct {
		Bench   benchRun
		Torture tortureRun
	}
	if err := read(benchPath, &figures.Bench); err != nil {
		return nil, err
	}
	if err := read(torturePath, &figures.Torture); err != nil {
		return nil, err
	}
	t, err := template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"day": day, "counts": counts, "cell": cell, "cpu": cpu, "memory": memory, "verdict": verdict,
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = t.Execute(&page, figures)
	return page.Bytes(), err
}

func read(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// cell makes a text fit into a cell of a table, with readable figures.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(readable(s))
}

// verdict highlights every verdict except pass.
func verdict(s string) string {
	if s == "pass" || s == "-" {
		return s
	}
	return "**" + s + "**"
}

func cpu(us float64) string {
	if us == 0 {
		return ""
	}
	return formatSeconds(us * 1e-6)
}

func memory(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
