package publish

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// CommonOption is an option of accounts that publishers need not list as a field, and do not
// receive when they connect.
type CommonOption struct {
	Name   string
	About  string // for users
	Number bool   // a JSON number

	// check returns what is wrong with a value, or "".
	check func(value any) string

	// of reports whether accounts of a publisher have it; nil for all.
	of func(Publisher) bool
}

// commonOptions are in the order in which they are listed.
var commonOptions = []CommonOption{
	{Name: "pacing", About: "the time between overdue posts of the account, such as 10s", check: checkDuration},
	{Name: "duplicate_guard", About: "how long the same text is refused after it went to the account, such as 24h", check: checkDuration},
	{Name: schedctl.OptionRequireAlt, About: "true to refuse posts with files that have no alt text", check: checkBool},
	{Name: schedctl.OptionApproval, About: "required: all posts to the account need an approval before they are published", check: oneOf(schedctl.ApprovalRequired)},
	{
		Name: schedctl.OptionResults, About: "whether numbers of published posts are read: auto (default), on or off",
		check: oneOf(schedctl.ResultsAuto, schedctl.ResultsAlways, schedctl.ResultsNever), of: readsResults,
	},
	{
		Name: schedctl.OptionResultsPerHour, Number: true, About: "the most requests an hour for numbers, 1 to 600 (default 60)",
		check: numberBetween(1, schedctl.MaxResultsPerHour, true), of: readsResults,
	},
	{
		Name: schedctl.OptionResultsBudget, Number: true, About: "the most that numbers may cost in a month, in US dollars (default 1)",
		check: numberBetween(0, 10_000, false), of: paysForResults,
	},
	{Name: schedctl.OptionOwnApp, About: "true if the account owns the developer app, for which numbers cost less", check: checkBool, of: paysForResults},
}

func readsResults(p Publisher) bool {
	_, ok := p.(ResultsReader)
	return ok
}

func paysForResults(p Publisher) bool {
	reader, ok := p.(ResultsReader)
	return ok && reader.ResultsRules(schedctl.Account{Platform: p.Platform()}).Price > 0
}

// CommonOptions returns the common options that accounts of a publisher have, or all of them
// if it is nil.
func CommonOptions(p Publisher) (list []CommonOption) {
	for _, o := range commonOptions {
		if o.of == nil || p == nil || o.of(p) {
			list = append(list, o)
		}
	}
	return list
}

// CommonOptionNames returns the names of the common options of a publisher.
func CommonOptionNames(p Publisher) (names []string) {
	for _, o := range CommonOptions(p) {
		names = append(names, o.Name)
	}
	return names
}

// FindCommonOption returns the common option with a name.
func FindCommonOption(name string) (CommonOption, bool) {
	i := slices.IndexFunc(commonOptions, func(o CommonOption) bool { return o.Name == name })
	if i < 0 {
		return CommonOption{}, false
	}
	return commonOptions[i], true
}

// Problem returns what is wrong with a value of the option, for users, or "".
func (o CommonOption) Problem(value any) string {
	if problem := o.check(value); problem != "" {
		return o.Name + " must be " + problem
	}
	return ""
}

// longest bounds durations: ten years.
const longest = 10 * 365 * 24 * time.Hour

func checkDuration(value any) string {
	text, _ := value.(string)
	if d, err := time.ParseDuration(text); err != nil || d < 0 || d > longest {
		return `a duration that is not negative, such as "500ms", "10s" or "24h"`
	}
	return ""
}

func checkBool(value any) string {
	if _, ok := value.(bool); !ok {
		return "true or false"
	}
	return ""
}

func oneOf(values ...string) func(any) string {
	return func(value any) string {
		if text, _ := value.(string); slices.Contains(values, text) {
			return ""
		}
		if len(values) == 1 {
			return fmt.Sprintf("%q, or null to remove it", values[0])
		}
		last := len(values) - 1
		return strings.Join(values[:last], ", ") + " or " + values[last]
	}
}

func numberBetween(least, most float64, whole bool) func(any) string {
	kind := "a number"
	if whole {
		kind = "a whole number"
	}
	return func(value any) string {
		n, ok := value.(float64)
		if !ok || n < least || n > most || whole && n != float64(int(n)) {
			return fmt.Sprintf("%s from %g to %g", kind, least, most)
		}
		return ""
	}
}

// CheckResultsBudget returns an error of kind content if the budget of an account is below the
// price of one reading.
func CheckResultsBudget(p Publisher, a schedctl.Account) *Error {
	reader, ok := p.(ResultsReader)
	budget, given := a.Options.Number(schedctl.OptionResultsBudget)
	if !ok || !given {
		return nil
	}
	rules := reader.ResultsRules(a)
	if price := float64(rules.MostCost(1)) / 1e6; budget < price {
		return Contentf(schedctl.OptionResultsBudget, "%s must be at least %g: one reading may cost that many US dollars; set %s to %q to read nothing",
			schedctl.OptionResultsBudget, price, schedctl.OptionResults, schedctl.ResultsNever)
	}
	return nil
}
