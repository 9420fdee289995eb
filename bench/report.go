package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"text/tabwriter"
	"time"
)

// benchReport is the result of a run, in the format of bench/last.json.
type benchReport struct {
	At      time.Time     `json:"at"`
	CPUs    int           `json:"cpus"`
	Go      string        `json:"go"`
	Quick   bool          `json:"quick"`
	Took    time.Duration `json:"took_ns"`
	Counts  counts        `json:"counts"` // over all cases
	Results []reportedRow `json:"results"`
}

// reportedRow is a row with the counts of its case, which are the same for all rows of
// a case.
type reportedRow struct {
	result
	counts
}

func newReport(quick bool) *benchReport {
	return &benchReport{At: time.Now().UTC(), CPUs: runtime.NumCPU(), Go: runtime.Version(), Quick: quick}
}

// add adds the rows of a case. A case fails when anything was lost, failed, repeated or
// early, however fast it was. A control that failed makes it inconclusive.
func (r *benchReport) add(rows []result, c counts) {
	r.Counts = r.Counts.plus(c)
	for _, row := range rows {
		switch {
		case !c.clean():
			row = row.detailed("%s", c)
			row.Verdict = fail
		case c.Control > 0 && row.Verdict != note:
			row = row.detailed("%s", c)
			row.Verdict = inconclusive
		}
		r.Results = append(r.Results, reportedRow{row, c})
	}
}

func (r *benchReport) count(v verdict) (n int) {
	for _, row := range r.Results {
		if row.Verdict == v {
			n++
		}
	}
	return n
}

// passed reports whether all goals were met and no post was lost, repeated or early.
func (r *benchReport) passed() bool { return r.count(fail) == 0 && r.Counts.clean() }

// print writes the table, the details of rows that did not pass, and a summary.
func (r *benchReport) print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "case\tmeasured\tgoal\tverdict\tCPU/op\tmemory")
	for _, row := range r.Results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", row.Case, row.Measured, row.Goal, row.Verdict, formatCPU(row.CPU), formatMemory(row.Memory))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, v := range []verdict{fail, inconclusive} {
		for _, row := range r.Results {
			if row.Verdict == v {
				fmt.Fprintf(to, "\n%s: %s\n    %s", v, row.Case, row.Detail)
			}
		}
	}
	_, err := fmt.Fprintf(to, "\n\n%d passed, %d failed, %d inconclusive; %s\n%d CPUs, %s, %s in all\n",
		r.count(pass), r.count(fail), r.count(inconclusive), r.Counts, r.CPUs, r.Go, r.Took.Round(time.Second))
	return err
}

func formatCPU(us float64) string {
	if us == 0 {
		return ""
	}
	if us >= 10_000 {
		return formatDuration(time.Duration(us * 1e3))
	}
	return fmt.Sprintf("%.0f µs", us)
}

func formatMemory(n int64) string {
	if n == 0 {
		return ""
	}
	return formatBytes(float64(n))
}

// write replaces a file with the report as JSON. Without a name it does nothing.
func (r *benchReport) write(path string) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
