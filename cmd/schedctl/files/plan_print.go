package files

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// printSteps prints all steps: as JSON, as ids, or as the text that format returns.
func (p *planner) printSteps(format func(a *cli.App, steps []step, person bool) []byte) error {
	a, steps := p.App, p.allSteps()
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
	case a.JSON.Given:
		return a.PrintJSON(changes)
	case a.Quiet:
		return a.PrintIDs(ids...)
	}
	if !p.listAll {
		steps = slices.DeleteFunc(steps, func(s step) bool { return s.Action == isUnchanged && s.Message == "" })
	}
	return a.Write(format(a, steps, a.OutTerminal))
}

// actionSigns are the marks of actions on a terminal, with their colors.
var actionSigns = map[string][2]string{
	doCreate: {"+", "32"}, doReschedule: {"~", "33"}, doEdit: {"~", "33"}, doCancel: {"-", "31"}, isDrift: {"!", "31"}, isRefused: {"!", "31"},
}

// planText returns a line for each step, and its differences below it, indented:
// for programs all steps, for people those that need attention.
func planText(a *cli.App, steps []step, person bool) []byte {
	var b bytes.Buffer
	for i := range steps {
		s := &steps[i]
		if person && s.Action == isUnchanged && s.Message == "" {
			continue
		}
		b.Write(stepText(a, s, person))
		for _, line := range diffLines(a, s, person) {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.Bytes()
}

// resultText returns what an apply did, for people who have already seen the plan: the
// steps that were taken or refused, with the ids of their posts. Programs get all.
func resultText(a *cli.App, steps []step, person bool) []byte {
	if !person {
		return planText(a, steps, false)
	}
	var b bytes.Buffer
	for i := range steps {
		if s := &steps[i]; s.does() || s.Action == isRefused {
			b.Write(stepText(a, s, person))
		}
	}
	return b.Bytes()
}

// stepText returns the line of a step, and for people the remark below it.
func stepText(a *cli.App, s *step, person bool) []byte {
	if !person {
		return a.RenderTable(cli.Table{Rows: [][]string{{s.Action, s.ID, s.PostID, s.File, s.Message}}})
	}
	sign := actionSigns[s.Action]
	where := strings.Trim(s.File+", "+s.PostID, ", ")
	line := fmt.Sprintf("%s %s%s\n", a.Paint(sign[1], cli.FirstNonEmpty(sign[0], " ")+" "+s.Action), a.Bold(cli.OneLine(s.ID)), a.Dim(" ("+cli.OneLine(where)+")"))
	if s.Message != "" {
		line += "    " + cli.MessageLine(s.Message) + "\n"
	}
	return []byte(line)
}

// diffLines returns the differences of a step.
func diffLines(a *cli.App, s *step, person bool) (lines []string) {
	for _, d := range s.Differences {
		switch {
		case person && s.Action == doCreate && d.Field == "at":
			lines = append(lines, "at: "+when.Result{Time: s.wanted.moment.Time}.Echo(a.Now(), a.Local))
			continue
		case !d.isText() && !d.isMedia():
			lines = append(lines, cli.OneLine(fmt.Sprintf("%s: %s → %s", d.Field, cli.FirstNonEmpty(d.Before, "none"), cli.FirstNonEmpty(d.After, "none"))))
			continue
		case d.Field != "content":
			lines = append(lines, cli.OneLine(d.Field)+":")
		}
		for _, l := range cli.LineDiff(d.Before, d.After) {
			lines = append(lines, a.Paint(map[byte]string{'-': "31", '+': "32"}[l[0]], l))
		}
	}
	return lines
}

// tellCounts reports the number of steps of each kind.
func tellCounts(a *cli.App, steps []step) {
	if a.Quiet {
		return
	}
	counts := map[string]int{}
	for i := range steps {
		counts[steps[i].Action]++
	}
	var parts []string
	for _, action := range []string{doCreate, doReschedule, doEdit, doCancel, isUnchanged, isOrphan, isDrift, isRefused} {
		if n := counts[action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, action))
		}
	}
	a.Messagef("%s", cli.FirstNonEmpty(strings.Join(parts, ", "), "no posts"))
}

// tellNotes reports how unclear times were read, changes without effect, warnings of the
// daemon, and posts that would exist twice.
func (p *planner) tellNotes() {
	for _, w := range p.warnings {
		w.Message = "warning: " + w.Message
		p.Messagef("%s", w)
	}
	if p.copies > 0 {
		p.Messagef("warning: %s would be created although a post with the same content exists outside the collection; "+
			"to use the existing posts, run: schedctl post export --files %s --collection %s", cli.Plural(p.copies, "post"), p.dir, p.collection)
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.does() && s.wanted.moment.Note != "" {
			p.Messagef("%s", s.wanted.doc.Problemf(s.wanted.doc.Line("at"), "note: %s", s.wanted.moment.Note))
		}
		if s.warning {
			p.Messagef("%s", s.wanted.doc.Problemf(1, "warning: %s", s.Message))
		}
	}
}

// refuseProblems reports the problems of files and returns their failure.
func refuseProblems(a *cli.App, problems []postfile.Problem, consequence string) *cli.Failure {
	files := map[string]bool{}
	for _, p := range problems {
		files[p.Path] = true
		a.Messagef("%s", p)
	}
	return cli.InvalidError(schedctl.ValidationFailed, "%s: %s in %s", consequence, cli.Plural(len(problems), "problem"), cli.Plural(len(files), "file"))
}
