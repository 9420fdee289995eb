package threadtext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/threadtext"
)

// TestFitAll: a network that counts more than the estimate gets shorter parts.
func TestFitAll(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 40)
	limits := func() map[string]*threadtext.Limit {
		return map[string]*threadtext.Limit{"a": {Max: 50}, "b": {Max: 100}}
	}
	exact := func(parts []string) (map[string]int, error) {
		excess := map[string]int{}
		for _, part := range parts {
			excess["a"] = max(excess["a"], 2*len(part)-50) // each character counts twice
		}
		return excess, nil
	}
	parts, ok, err := threadtext.FitAll(text, limits(), exact)
	if err != nil || !ok || len(parts) < 8 {
		t.Fatalf("%d parts, %v, %v", len(parts), ok, err)
	}
	for _, part := range parts {
		if len(part) > 25 {
			t.Errorf("%q is too long", part)
		}
	}
	if _, ok, err := threadtext.FitAll("https://example.com/"+strings.Repeat("x", 80), limits(), exact); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	refused := errors.New("refused")
	if _, _, err := threadtext.FitAll(text, limits(), func([]string) (map[string]int, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
}
