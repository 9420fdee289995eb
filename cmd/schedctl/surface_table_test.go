package main

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
)

// cellRule says why surfaces do not carry fields. Names and fields are separated by
// spaces and may be patterns; [] in fields is written as it is.
type cellRule struct {
	surfaces, fields string
	reported         string // a text on standard error that names the field, or empty
	reason           string // why the surface does not need the field, or empty
}

func (c cellRule) matches(surface, field string) bool {
	return matchesOne(c.surfaces, surface) && matchesOne(c.fields, field)
}

func matchesOne(patterns, name string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool {
		ok, _ := path.Match(strings.ReplaceAll(p, "[]", "#"), strings.ReplaceAll(name, "[]", "#"))
		return ok
	})
}

// surfaceTable has what surfaces leave out, and why.
type surfaceTable struct {
	surfaces   string // those of the table
	rules      []cellRule
	wrongToday []cellRule // reason says what is missing

	// marks are the marks that differ from those of apiv1test, by the field, or by the
	// surface and the field.
	marks map[string]string
}

// checkTable checks every field on every surface: it is carried, or reported, or there is
// a reason. The table itself is a golden file.
func (s *surfaceTexts) checkTable(name string, fields []string, table surfaceTable) {
	t := s.r.t
	t.Helper()
	surfaces := strings.Fields(table.surfaces)
	for _, surface := range surfaces {
		if _, ok := s.shown[surface]; !ok {
			t.Errorf("%s: no text of the surface %s", name, surface)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "+ carried   ! reported when left out   . not applicable   x wrong today\n\n")
	for i, surface := range surfaces {
		fmt.Fprintf(&out, "%s%s\n", strings.Repeat("| ", i), surface)
	}
	missing := map[string][]string{}
	for _, field := range fields {
		for _, surface := range surfaces {
			cell, fault := s.cell(table, surface, field)
			if fault != "" {
				missing[surface+fault] = append(missing[surface+fault], field)
			}
			out.WriteString(cell + " ")
		}
		fmt.Fprintf(&out, "%s\n", field)
	}
	for fault, fields := range missing {
		t.Errorf("table %s: %s: %s", name, fault, strings.Join(fields, " "))
	}
	compareSurface(t, filepath.Join("testdata", "surface", name+".table"), out.String())
}

// cell returns the sign of a cell, and what is wrong with it.
func (s *surfaceTexts) cell(table surfaceTable, surface, field string) (sign, fault string) {
	mark := cmp.Or(table.marks[surface+" "+field], table.marks[field], apiv1test.Marks[field])
	carried := regexp.MustCompile(mark).MatchString(s.shown[surface])
	of := func(rules []cellRule) *cellRule {
		if i := slices.IndexFunc(rules, func(c cellRule) bool { return c.matches(surface, field) }); i >= 0 {
			return &rules[i]
		}
		return nil
	}
	wrong, rule := of(table.wrongToday), of(table.rules)
	switch {
	case carried && wrong != nil:
		return "+", " carries fields of wrongToday: remove them there"
	case carried && rule != nil && rule.reported != "":
		return "+", " carries fields that a rule has as reported: change the rule"
	case carried:
		return "+", ""
	case wrong != nil:
		return "x", ""
	case rule == nil:
		return "?", " lacks fields: add them, or report them, or say why they are not needed"
	case rule.reported == "":
		return ".", ""
	case !strings.Contains(s.reported[surface], rule.reported):
		return "!", " leaves out fields and does not report them"
	}
	return "!", ""
}
