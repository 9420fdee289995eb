package apiv1test_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
)

// The post and the series have every field of their requests, in all parts: a new field
// has to be added to them, and to the marks.
func TestEveryFieldIsSet(t *testing.T) {
	t.Parallel()
	refs := apiv1test.References{Blog: "a", Hook: "b", Own: "c", Social: "d", Queue: "q", Files: [apiv1test.Files]string{"1", "2", "3", "4", "5", "6"}}
	for name, request := range map[string]struct {
		value   any
		leftOut map[string]string
	}{
		"post": {apiv1test.Post(refs), apiv1test.LeftOutOfPost}, "series": {apiv1test.Series(refs), apiv1test.LeftOutOfSeries},
	} {
		text, err := json.Marshal(request.value)
		if err != nil {
			t.Fatal(err)
		}
		var set map[string]any
		if err := json.Unmarshal(text, &set); err != nil {
			t.Fatal(err)
		}
		missing := []string{}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(request.value)) {
			if f.Anonymous {
				continue
			}
			field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if _, isSet := set[field]; !isSet {
				missing = append(missing, field)
			}
		}
		slices.Sort(missing)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(request.leftOut)), missing); diff != "" {
			t.Errorf("the %s leaves out other fields (-want +got):\n%s", name, diff)
		}
	}
}

func TestEveryFieldHasAMark(t *testing.T) {
	t.Parallel()
	fields := append(apiv1test.PostFields(), apiv1test.SeriesFields()...)
	for _, f := range fields {
		if apiv1test.Marks[f] == "" {
			t.Errorf("the field %s has no mark; add it to Marks, and to the tables of surfaces", f)
		}
	}
	for f := range apiv1test.Marks {
		if !slices.Contains(fields, f) {
			t.Errorf("there is a mark for %s, which is no field", f)
		}
	}
}
