package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
)

// printSteps prints steps with their differences: for programs all steps, for
// people those that need attention.
func (a *app) printSteps(steps []step) error {
	changes := []change{}
	var ids []string
	for i := range steps {
		c := steps[i].change
		c.Differences = append([]difference{}, c.Differences...)
		changes = append(changes, c)
		if steps[i].does() && c.PostID != "" {
			ids = append(ids, c.PostID)
		}
	}
	switch {
	case a.json.set:
		return a.printJSON(changes)
	case a.quiet:
		return a.printIDs(ids...)
	}
	return a.write(a.planText(steps, a.outTerminal))
}

// signs are the marks of actions on a terminal, with their colors.
var signs = map[string][2]string{
	doCreate: {"+", "32"}, doReschedule: {"~", "33"}, doEdit: {"~", "33"}, doCancel: {"-", "31"}, isDrift: {"!", "31"}, isRefused: {"!", "31"},
}

// planText returns a line for each step, and below it the differences, indented.
func (a *app) planText(steps []step, person bool) []byte {
	var b bytes.Buffer
	for i := range steps {
		s := &steps[i]
		if !person {
			b.Write(a.render(table{rows: [][]string{{s.Action, s.ID, s.PostID, s.File, s.Message}}}))
		} else if s.Action == isUnchanged && s.Message == "" {
			continue
		} else {
			sign := signs[s.Action]
			where := strings.Trim(s.File+", "+s.PostID, ", ")
			fmt.Fprintf(&b, "%s %s%s\n", a.paint(sign[1], first(sign[0], " ")+" "+s.Action), a.bold(oneLine(s.ID)), a.dim(" ("+oneLine(where)+")"))
			if s.Message != "" {
				b.WriteString("    " + oneLine(s.Message) + "\n")
			}
		}
		for _, line := range a.diffLines(s, person) {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.Bytes()
}

// diffLines returns the differences of a step.
func (a *app) diffLines(s *step, person bool) (lines []string) {
	for _, d := range s.Differences {
		switch {
		case person && s.Action == doCreate && d.Field == "at":
			lines = append(lines, "at: "+when.Result{Time: s.wanted.moment.Time}.Echo(a.now(), a.local))
			continue
		case !d.multiline():
			lines = append(lines, oneLine(fmt.Sprintf("%s: %s → %s", d.Field, first(d.Before, "none"), first(d.After, "none"))))
			continue
		case d.Field != "content":
			lines = append(lines, oneLine(d.Field)+":")
		}
		for _, l := range lineDiff(d.Before, d.After) {
			lines = append(lines, a.paint(map[byte]string{'-': "31", '+': "32"}[l[0]], printable(l)))
		}
	}
	return lines
}

// tellCounts reports the number of steps of each kind.
func (a *app) tellCounts(steps []step) {
	if a.quiet {
		return
	}
	counts := map[string]int{}
	for i := range steps {
		counts[steps[i].Action]++
	}
	var parts []string
	for _, action := range []string{doCreate, doReschedule, doEdit, doCancel, isUnchanged, isDrift, isRefused} {
		if n := counts[action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, action))
		}
	}
	a.tell("%s", first(strings.Join(parts, ", "), "no posts"))
}

// tellNotes reports how unclear times were read, changes without effect, and posts
// that would exist twice.
func (p *planner) tellNotes() {
	if p.copies > 0 {
		p.tell("warning: %s would be created although a post with the same content exists outside the collection; "+
			"to use the existing posts, run: schedctl post export --files %s --collection %s", plural(p.copies, "post"), p.dir, p.collection)
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.does() && s.wanted.moment.Note != "" {
			p.tell("%s", s.wanted.file.Problemf(s.wanted.file.At.Line, "note: %s", s.wanted.moment.Note))
		}
		if s.warning {
			p.tell("%s", s.wanted.file.Problemf(1, "warning: %s", s.Message))
		}
	}
}

// refuse reports the problems of files and returns their failure.
func (a *app) refuse(problems []postfile.Problem, consequence string) error {
	files := map[string]bool{}
	for _, p := range problems {
		files[p.Path] = true
		a.tell("%s", printable(p.String()))
	}
	return invalid(schedctl.ValidationFailed, "%s: %s in %s", consequence, plural(len(problems), "problem"), plural(len(files), "file"))
}
