package schedctl_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

func annotation(externalID string, m *schedctl.Managed, labels ...string) schedctl.Annotation {
	return schedctl.Annotation{ExternalID: &externalID, Managed: m, Labels: &labels}
}

func TestAnnotationIsChecked(t *testing.T) {
	t.Parallel()
	managed := func(change func(*schedctl.Managed)) *schedctl.Managed {
		m := schedctl.Managed{Collection: "Web.site_1-a", Path: "ä/b c.md", Digest: "sha256:1"}
		change(&m)
		return &m
	}
	keep := func(*schedctl.Managed) {}
	long := strings.Repeat
	for name, tt := range map[string]struct {
		in    schedctl.Annotation
		field string // of the refusal, empty for none
	}{
		"everything": {annotation("a/b!~", managed(keep), "a", "spring sale", "größe"), ""},
		"the longest": {annotation(long("x", 200), managed(func(m *schedctl.Managed) {
			m.Collection, m.Path, m.Digest = long("c", 80), long("ä", 500), long("d", 128)
		}), long("ü", 50)), ""},
		"a long external id":    {annotation(long("x", 201), nil), "external_id"},
		"a space":               {annotation("a b", nil), "external_id"},
		"no ASCII":              {annotation("ä", nil), "external_id"},
		"a line break":          {annotation("a\n", nil), "external_id"},
		"no collection":         {annotation("", managed(func(m *schedctl.Managed) { m.Collection = "" })), "managed.collection"},
		"a long collection":     {annotation("", managed(func(m *schedctl.Managed) { m.Collection = long("c", 81) })), "managed.collection"},
		"a slash":               {annotation("", managed(func(m *schedctl.Managed) { m.Collection = "a/b" })), "managed.collection"},
		"a trailing line break": {annotation("", managed(func(m *schedctl.Managed) { m.Collection = "a\n" })), "managed.collection"},
		"a reserved name":       {annotation("", managed(func(m *schedctl.Managed) { m.Collection = "import" })), "managed.collection"},
		"the name of sources":   {annotation("", managed(func(m *schedctl.Managed) { m.Collection = "source" })), "managed.collection"},
		"no path":               {annotation("", managed(func(m *schedctl.Managed) { m.Path = "" })), "managed.path"},
		"a long path":           {annotation("", managed(func(m *schedctl.Managed) { m.Path = long("ä", 501) })), "managed.path"},
		"a control character":   {annotation("", managed(func(m *schedctl.Managed) { m.Path = "a\x1b" })), "managed.path"},
		"no digest":             {annotation("", managed(func(m *schedctl.Managed) { m.Digest = "" })), "managed.digest"},
		"a long digest":         {annotation("", managed(func(m *schedctl.Managed) { m.Digest = long("d", 129) })), "managed.digest"},
		"21 labels":             {annotation("", nil, slices.Repeat([]string{"a"}, 21)...), "labels"},
		"an empty label":        {annotation("", nil, "a", ""), "labels[1]"},
		"a long label":          {annotation("", nil, long("ü", 51)), "labels[0]"},
		"a comma":               {annotation("", nil, "a,b"), "labels[0]"},
		"a space first":         {annotation("", nil, " a"), "labels[0]"},
		"a space last":          {annotation("", nil, "a\u00a0"), "labels[0]"},
		"a tab":                 {annotation("", nil, "a\tb"), "labels[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: "ws_1", Content: schedctl.Content{Text: "x"}, Annotation: tt.in}, t0)
			var refusal *schedctl.Error
			if tt.field == "" && err != nil || tt.field != "" && (!errors.As(err, &refusal) || refusal.Code != schedctl.ValidationFailed || refusal.Field != tt.field) {
				t.Errorf("Create: %v, want a refusal of %q", err, tt.field)
			}
			draft, _ := create(t, schedctl.NewPost{})
			before := draft.Clone()
			if _, err := draft.Edit(schedctl.Edit{Annotation: tt.in}, t0); (err == nil) != (tt.field == "") {
				t.Errorf("Edit: %v, want a refusal of %q", err, tt.field)
			}
			if diff := cmp.Diff(before, draft); tt.field != "" && diff != "" {
				t.Errorf("a refused edit changed the post:\n%s", diff)
			}
		})
	}
}

func TestLabelsAreSortedAndUnique(t *testing.T) {
	t.Parallel()
	given := []string{"b", "a", "b", "A"}
	p, _ := create(t, schedctl.NewPost{Annotation: annotation("", nil, given...)})
	if want := []string{"A", "a", "b"}; !slices.Equal(p.Labels, want) || given[0] != "b" {
		t.Errorf("labels %q of %q, want %q", p.Labels, given, want)
	}
	if !p.HasLabels(nil) || !p.HasLabels([]string{"a", "A"}) || p.HasLabels([]string{"a", "c"}) {
		t.Error("HasLabels is wrong")
	}
	clone := p.Clone()
	clone.Labels[0] = "z"
	if p.Labels[0] != "A" {
		t.Error("a clone shares its labels")
	}
}

func TestAnnotatedEdit(t *testing.T) {
	t.Parallel()
	p := scheduledPost(t)
	content := "other"
	for i, tt := range []struct {
		edit    schedctl.Edit
		version int64
		events  string
	}{
		{schedctl.Edit{Annotation: annotation("a", nil, "b")}, 2, ""},
		{schedctl.Edit{Annotation: annotation("a", nil, "b")}, 2, ""},
		{schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &content}, Annotation: annotation("a", nil, "c")}, 3, "updated"},
		{schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &content}, Annotation: annotation("a", nil, "d")}, 4, ""},
		{schedctl.Edit{Annotation: schedctl.Annotation{Managed: &schedctl.Managed{}}}, 4, ""},
	} {
		events, err := p.Edit(tt.edit, t0.Add(time.Minute))
		if err != nil || p.Version != tt.version || types(events) != tt.events {
			t.Errorf("edit %d: version %d, events %q, error %v; want version %d, events %q", i, p.Version, types(events), err, tt.version, tt.events)
		}
	}
	_, err := p.Edit(schedctl.Edit{Annotation: annotation("b", nil)}, t0)
	wantCode(t, err, schedctl.PostNotEditable)
	_, err = p.Edit(schedctl.Edit{Annotation: annotation("", nil)}, t0)
	wantCode(t, err, schedctl.PostNotEditable)
}

func TestUnschedule(t *testing.T) {
	t.Parallel()
	p := scheduledPost(t)
	before := p.Clone()
	events, err := p.Unschedule(schedctl.Actor{}, t0)
	if err != nil || types(events) != "updated" || events[0].Status != schedctl.Draft || p.Version != 2 {
		t.Fatalf("events %+v, version %d, error %v", events, p.Version, err)
	}
	for i := range p.Targets {
		if _, waiting := p.Targets[i].Due(); waiting || p.Targets[i].ID != before.Targets[i].ID || !p.Targets[i].PublishAt.IsZero() {
			t.Errorf("target %+v", p.Targets[i])
		}
	}
	if !p.PublishAt.IsZero() || p.Status() != schedctl.Draft {
		t.Errorf("a %s post at %s", p.Status(), p.PublishAt)
	}
	if events, err := p.Unschedule(schedctl.Actor{}, t0); err != nil || len(events) > 0 || p.Version != 2 {
		t.Errorf("a draft: events %+v, version %d, error %v", events, p.Version, err)
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	p := scheduledPost(t)
	managed := schedctl.Managed{Collection: "site", Path: "a.md", Digest: "1"}
	if _, err := p.Edit(schedctl.Edit{Annotation: annotation("site/a", &managed, "l")}, t0); err != nil {
		t.Fatal(err)
	}
	wantCode(t, p.Replace("site/a", t0), schedctl.PostNotReplaceable)
	invalid := schedctl.Managed{Collection: "site"}
	_, err := p.CancelManaged(&invalid, t0)
	wantCode(t, err, schedctl.ValidationFailed)
	managed.Pruned = true
	events, err := p.CancelManaged(&managed, t0)
	if err != nil || types(events) != "canceled" || p.Version != 3 || !p.Managed.Pruned || p.Status() != schedctl.Canceled {
		t.Fatalf("events %q, error %v, post %+v", types(events), err, p)
	}
	wantCode(t, p.Replace("site/b", t0), schedctl.PostNotReplaceable)
	if err := p.Replace("site/a", t0); err != nil || p.ExternalID != "" || p.Managed != nil || p.Version != 4 || len(p.Labels) != 1 {
		t.Errorf("error %v, post %+v", err, p)
	}
}
