package publish_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// priced is a network that charges for readings: five posts at least, and less with own_app.
type priced struct {
	*publishtest.Fake
	publish.ResultsReader
}

func (priced) ResultsRules(a schedctl.Account) publish.ResultsRules {
	rules := publish.ResultsRules{Batch: 10, Price: 5_000, AtLeast: 5}
	if a.Options.Bool(schedctl.OptionOwnApp) {
		rules.Price = 1_000
	}
	return rules
}

// TestCommonOptions checks which options accounts of a network have, and their values.
func TestCommonOptions(t *testing.T) {
	t.Parallel()
	plain, paid := publishtest.NewFake("plain"), priced{Fake: publishtest.NewFake("priced")}
	if got := publish.CommonOptionNames(plain); !slices.Equal(got, []string{"pacing", "duplicate_guard", "require_alt", "approval"}) {
		t.Errorf("options of a network without results: %q", got)
	}
	if got := publish.CommonOptionNames(paid)[4:]; !slices.Equal(got, []string{"results", "results_per_hour", "results_budget", "own_app"}) {
		t.Errorf("options of a network that charges: %q", got)
	}
	for _, tt := range []struct {
		name  string
		value any
		want  string // of the problem; empty for none
	}{
		{"results", "auto", ""}, {"results", "off", ""}, {"results", true, "auto, on or off"}, {"results", "never", "auto, on or off"},
		{"results_per_hour", 600.0, ""}, {"results_per_hour", 0.0, "whole number from 1 to 600"}, {"results_per_hour", 1.5, "whole number"}, {"results_per_hour", "60", "whole number"},
		{"results_budget", 0.5, ""}, {"results_budget", -1.0, "number from 0 to 10000"}, {"own_app", true, ""}, {"own_app", "yes", "true or false"},
		{"pacing", "10s", ""}, {"pacing", 10.0, "a duration"}, {"approval", "required", ""}, {"approval", "no", `"required", or null`},
	} {
		o, ok := publish.FindCommonOption(tt.name)
		if !ok {
			t.Fatal(tt.name)
		}
		if got := o.Problem(tt.value); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s = %v: %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}

// TestResultsBudget refuses a budget that is below the price of one reading.
func TestResultsBudget(t *testing.T) {
	t.Parallel()
	p := priced{Fake: publishtest.NewFake("priced")}
	for _, tt := range []struct {
		options schedctl.Options
		want    string
	}{
		{nil, ""}, {schedctl.Options{"results_budget": 0.025}, ""}, {schedctl.Options{"results_budget": 0.02}, "at least 0.025"},
		{schedctl.Options{"results_budget": 0.02, "own_app": true}, ""}, {schedctl.Options{"results_budget": 0.0, "own_app": true}, "at least 0.005"},
	} {
		err := publish.CheckResultsBudget(p, schedctl.Account{Platform: "priced", Options: tt.options})
		if err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.Contains(err.Message, tt.want)) {
			t.Errorf("%v: %v, want %q", tt.options, err, tt.want)
		}
	}
	if err := publish.CheckResultsBudget(publishtest.NewFake("plain"), schedctl.Account{Options: schedctl.Options{"results_budget": 0.0}}); err != nil {
		t.Error(err)
	}
}
