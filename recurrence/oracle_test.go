package recurrence_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/scripts/installed"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// expansion is the first occurrences of a rule.
type expansion struct {
	Plain []schedctl.LocalTime `json:"plain"` // only of npm_oracle.js
	Local []schedctl.LocalTime `json:"local"`
	At    []int64              `json:"at"`
	Error string               `json:"error"`
}

// oracleLibraries returns the directory of the libraries that rules are compared with.
func oracleLibraries(t *testing.T, program string) string {
	t.Helper()
	return installed.Library(t, "recurrence", program, "the libraries that rules are compared with are not installed: run recurrence/install.sh")
}

// ask runs an oracle. After an error it has failed the test and returns nil.
func ask(t *testing.T, cases []ruleCase, dir, program string, args ...string) (results []expansion) {
	t.Helper()
	input, err := json.Marshal(cases)
	if err != nil {
		t.Error(err)
		return nil
	}
	cmd := exec.CommandContext(t.Context(), program, append(args, dir)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, "python"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v", args[0], err)
		return nil
	}
	if err := json.Unmarshal(out, &results); err != nil || len(results) != len(cases) {
		t.Errorf("%s printed %.100q: %v", args[0], out, err)
		return nil
	}
	return results
}

// expand returns the first occurrences of a rule as schedctl has them. skipped are those
// whose local times the clocks skip. ok is false if the rule has no occurrence.
func (c ruleCase) expand(t *testing.T) (e expansion, skipped []schedctl.LocalTime, ok bool) {
	t.Helper()
	loc, err := time.LoadLocation(c.Zone)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := recurrence.Parse(c.Rule, c.Start, loc)
	if err != nil {
		return e, nil, false
	}
	for _, local := range r.All("", c.Before) {
		if len(e.Local) == c.N {
			break
		}
		e.Local = append(e.Local, local)
		at, note := local.In(loc)
		e.At = append(e.At, at.Unix())
		if note == schedctl.LocalSkipped {
			skipped = append(skipped, local)
		}
	}
	return e, skipped, true
}

// withOccurrences returns random cases that have occurrences. The oracles search for
// minutes before they report that a rule has none.
func withOccurrences(t *testing.T) (cases []ruleCase) {
	t.Helper()
	n := testsize.Of(500, 5000)
	for _, c := range randomCases(n + n/5) {
		if _, _, ok := c.expand(t); ok && len(cases) < n {
			cases = append(cases, c)
		}
	}
	if len(cases) < n {
		t.Fatalf("only %d of the random rules have occurrences", len(cases))
	}
	return cases
}

// reports counts the differences of a test, and reports the first ones.
type reports struct {
	*testing.T
	n int
}

func (r *reports) differ(c ruleCase, oracle string, want, got any) {
	r.Helper()
	if r.n++; r.n <= 10 {
		r.Errorf("%s from %s in %s:\n%s: %v\nschedctl: %v", c.Rule, c.Start, c.Zone, oracle, want, got)
	}
}

// TestRulesAgreeWithDateutil compares local times and instants.
func TestRulesAgreeWithDateutil(t *testing.T) {
	t.Parallel()
	dir := oracleLibraries(t, "python3")
	cases := slices.DeleteFunc(withOccurrences(t), ruleCase.mixesDays)
	r := reports{T: t}
	for i, want := range ask(t, cases, dir, "python3", "testdata/dateutil_oracle.py") {
		got, _, _ := cases[i].expand(t)
		if !slices.Equal(got.Local, want.Local) {
			r.differ(cases[i], "dateutil", want.Local, got.Local)
		} else if !slices.Equal(got.At, want.At) {
			r.differ(cases[i], "dateutil", want.At, got.At)
		}
	}
	t.Logf("%d differences", r.n)
}

// TestRulesAgreeWithNPM compares local times with rrule, and local times and instants
// with rrule-temporal, except where exceptionOfRRule and exceptionOfTemporal say why not.
func TestRulesAgreeWithNPM(t *testing.T) {
	t.Parallel()
	dir := oracleLibraries(t, "node")
	cases := withOccurrences(t)
	for i := range cases {
		cases[i].SkipPlain = cases[i].mixesDays()
	}
	r, excepted := reports{T: t}, map[string]int{}
	for i, want := range askInParts(t, cases, dir) {
		c := cases[i]
		got, skipped, _ := c.expand(t)
		if why := exceptionOfRRule(c, want); why != "" {
			excepted[why]++
		} else if !slices.Equal(got.Local, want.Plain) {
			r.differ(c, "rrule", want.Plain, got.Local)
		}
		if why := exceptionOfTemporal(c, want, got, skipped); why != "" {
			excepted[why]++
		} else if want.Error != "" || !slices.Equal(got.Local, want.Local) {
			r.differ(c, "rrule-temporal", want, got.Local)
		} else if !slices.Equal(got.At, want.At) {
			r.differ(c, "rrule-temporal", want.At, got.At)
		}
	}
	t.Logf("%d differences; exceptions: %v", r.n, excepted)
}

// askInParts asks npm_oracle.js in two processes at once.
func askInParts(t *testing.T, cases []ruleCase, dir string) []expansion {
	t.Helper()
	half := len(cases) / 2
	var first []expansion
	done := make(chan struct{})
	go func() {
		defer close(done)
		first = ask(t, cases[:half], dir, "node", "testdata/npm_oracle.js")
	}()
	second := ask(t, cases[half:], dir, "node", "testdata/npm_oracle.js")
	<-done
	if t.Failed() {
		t.FailNow()
	}
	return append(first, second...)
}

// exceptionOfRRule says why the result of rrule is not compared, or returns "".
func exceptionOfRRule(c ruleCase, want expansion) string {
	if c.SkipPlain {
		return "rrule takes only days that are in both lists, the numbered days and the others"
	}
	if strings.Contains(c.Rule, "BYSETPOS=1,-1") && len(slices.Compact(slices.Clone(want.Plain))) < len(want.Plain) {
		return "rrule returns an occurrence twice that BYSETPOS names twice"
	}
	_, days, _ := strings.Cut(c.Rule, "BYMONTHDAY=")
	days, _, _ = strings.Cut(days, ";")
	if strings.HasPrefix(c.Rule, "FREQ=DAILY") && strings.Contains(days, "-") && len(want.Plain) == 0 {
		return "rrule finds nothing in daily rules with BYMONTHDAY from both ends of the month; dateutil does"
	}
	return ""
}

// exceptionOfTemporal says why the result of rrule-temporal is not compared, or returns
// "".
func exceptionOfTemporal(c ruleCase, want, got expansion, skipped []schedctl.LocalTime) string {
	switch {
	case len(skipped) > 0 && agreeWithout(skipped, got.Local, want.Local):
		return "rrule-temporal leaves out times that the clocks skip, see TestSkippedTimesAreOccurrences"
	case strings.Contains(want.Error, "Maximum iterations"):
		return "rrule-temporal gives up"
	case c.mixesDays() && strings.HasPrefix(c.Rule, "FREQ=YEARLY"):
		return "rrule-temporal ignores weekdays without a number in yearly rules that have others, see TestMixedDays"
	case c.numbersDays() && strings.HasPrefix(c.Rule, "FREQ=YEARLY") && strings.Contains(c.Rule, "BYMONTHDAY="):
		return "rrule-temporal ignores BYMONTHDAY in yearly rules with numbered weekdays; RFC 5545 takes the days that fit both"
	case strings.HasPrefix(c.Rule, "FREQ=WEEKLY") && strings.Contains(c.Rule, "BYSETPOS="):
		return "in the first week, rrule-temporal counts BYSETPOS from the start of the week, and the others from the start of the rule"
	case strings.Contains(c.Rule, "BYYEARDAY=") && strings.Contains(c.Rule, "BYDAY="):
		return "rrule-temporal ignores BYDAY with BYYEARDAY; RFC 5545 takes the days that fit both"
	case strings.Contains(c.Rule, "BYWEEKNO=") && strings.Contains(c.Rule, "INTERVAL="):
		return "a week at the turn of two years belongs to the other year, if the rule leaves out years"
	case (c.Zone == "Africa/Casablanca" || c.Zone == "Africa/Cairo") && slices.Equal(want.Local, got.Local) && !slices.Equal(want.At, got.At):
		return "Node.js has another zone database for Morocco and Egypt; dateutil has that of schedctl"
	}
	return ""
}

// agreeWithout reports whether two lists agree without some of their times, as far as
// the shorter one goes.
func agreeWithout(skipped, a, b []schedctl.LocalTime) bool {
	without := func(list []schedctl.LocalTime) []schedctl.LocalTime {
		return slices.DeleteFunc(slices.Clone(list), func(l schedctl.LocalTime) bool { return slices.Contains(skipped, l) })
	}
	a, b = without(a), without(b)
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// mixesDays reports whether BYDAY has numbered days and others. dateutil and rrule take
// only days that are in both lists; RFC 5545 takes all.
func (c ruleCase) mixesDays() bool {
	numbered, plain := c.countDays()
	return numbered > 0 && plain > 0
}

// numbersDays reports whether BYDAY has numbered days.
func (c ruleCase) numbersDays() bool {
	numbered, _ := c.countDays()
	return numbered > 0
}

// countDays returns how many days in BYDAY have a number, and how many have none.
func (c ruleCase) countDays() (numbered, plain int) {
	_, list, _ := strings.Cut(c.Rule, "BYDAY=")
	list, _, _ = strings.Cut(list, ";")
	for d := range strings.SplitSeq(list, ",") {
		switch {
		case len(d) > 2:
			numbered++
		case d != "":
			plain++
		}
	}
	return numbered, plain
}
