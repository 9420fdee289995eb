package filter_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/cmd/schedctl/cli/filter"
)

func TestEndlessExpressionsAreStopped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		expression string
		compile    func(string, filter.Options) (filter.Filter, error)
	}{
		{"def f: f; f", filter.JQ},
		{"{{range 10000000000}}{{end}}", filter.Template},
	} {
		run, err := tc.compile(tc.expression, filter.Options{Timeout: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run([]byte("{}")); err == nil || err.Error() != "it was stopped after 50ms" {
			t.Errorf("%s: %v", tc.expression, err)
		}
	}
}
