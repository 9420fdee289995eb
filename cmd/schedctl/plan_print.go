package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
)

// printSteps prints what is to be done, or was done.
func (a *app) printSteps(steps []step) error {
	changes := []change{}
	var ids []string
	for i := range steps {
		changes = append(changes, steps[i].change)
		if steps[i].does() && steps[i].PostID != "" {
			ids = append(ids, steps[i].PostID)
		}
	}
	switch {
	case a.json.set:
		return a.printJSON(changes)
	case a.quiet:
		return a.printIDs(ids...)
	case a.outTerminal:
		return a.write(a.planText(steps))
	}
	var t table
	for _, c := range changes {
		t.rows = append(t.rows, []string{c.Action, c.ID, c.PostID, c.File, c.detail()})
	}
	return a.write(a.render(t))
}

// detail returns in a line what a change is about.
func (c change) detail() string {
	var parts []string
	if c.Message != "" {
		parts = append(parts, c.Message)
	}
	for _, d := range c.Differences {
		parts = append(parts, d.brief())
	}
	return strings.Join(parts, "; ")
}

// signs begin the changes that a person reads, with their colours.
var signs = map[string][2]string{
	doCreate: {"+", "32"}, doAdopt: {"=", "32"}, doSchedule: {"~", "33"}, doReschedule: {"~", "33"}, doEdit: {"~", "33"},
	doCancel: {"-", "31"}, doDelete: {"-", "31"}, doForget: {"-", "2"},
	isEnded: {" ", "2"}, isDrift: {"!", "31"}, isOrphan: {"!", "33"}, isUnclear: {"?", "31"},
}

// planText shows a plan to a person, without what stays as it is.
func (a *app) planText(steps []step) []byte {
	var b bytes.Buffer
	for i := range steps {
		s := &steps[i]
		if s.Action == isUnchanged || s.Action == isEnded && len(s.Differences) == 0 {
			continue
		}
		sign := signs[s.Action]
		fmt.Fprintf(&b, "%s %s%s\n", a.paint(sign[1], sign[0]+" "+s.Action), a.bold(oneLine(s.ID)), a.dim(whereText(s.change)))
		for _, line := range a.stepLines(s) {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.Bytes()
}

func whereText(c change) string {
	var where []string
	for _, w := range []string{c.File, c.PostID} {
		if w != "" {
			where = append(where, w)
		}
	}
	return " (" + oneLine(strings.Join(where, ", ")) + ")"
}

// stepLines are what a person is told of a change.
func (a *app) stepLines(s *step) (lines []string) {
	if s.Message != "" {
		lines = append(lines, oneLine(s.Message))
	}
	for _, d := range s.Differences {
		switch {
		case d.Field == "at" && s.Action == doCreate:
			lines = append(lines, "at "+when.Moment{Time: s.wanted.moment.Time}.Echo(a.now(), a.local))
		case d.Field == "to" && s.Action == doCreate:
			lines = append(lines, "to "+oneLine(d.After))
		case d.Field == "at" || d.Field == "to":
			lines = append(lines, oneLine(d.brief()))
		default:
			if d.Field != "content" {
				lines = append(lines, oneLine(d.Field)+":")
			}
			for _, l := range lineDiff(d.Before, d.After) {
				sgr := "32"
				if l[0] == '-' {
					sgr = "31"
				}
				lines = append(lines, a.paint(sgr, printable(l)))
			}
		}
	}
	return lines
}

// tellCounts says how many changes there are of each kind.
func (a *app) tellCounts(steps []step) {
	if a.quiet {
		return
	}
	counts := map[string]int{}
	for i := range steps {
		counts[steps[i].Action]++
	}
	var parts []string
	for _, action := range []string{doCreate, doAdopt, doSchedule, doReschedule, doEdit, doCancel, doDelete, doForget, isUnchanged, isEnded, isDrift, isOrphan, isUnclear} {
		if n := counts[action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, action))
		}
	}
	a.tell("%s", first(strings.Join(parts, ", "), "no posts"))
}

// tellNotes says what was decided where a time left something open.
func (p *planner) tellNotes() {
	for i := range p.steps {
		if w := &p.steps[i].wanted; p.steps[i].does() && w.moment.Note != "" {
			p.tell("%s", w.file.Problemf(w.file.At.Line, "note: %s", w.moment.Note))
		}
	}
}

// refuse tells the problems of files, and returns the failure that they are.
func (a *app) refuse(problems []postfile.Problem, consequence string) error {
	files := map[string]bool{}
	for _, p := range problems {
		files[p.Path] = true
		a.tell("%s", printable(p.String()))
	}
	return invalid(schedctl.ValidationFailed, "%s: %s in %s", consequence, plural(len(problems), "problem"), plural(len(files), "file"))
}
