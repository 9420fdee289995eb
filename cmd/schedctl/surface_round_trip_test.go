package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
)

// roundTrip makes a post in a slot, a draft that has a proposed time, and a series, all
// with every field. CSV has no overrides, which two accounts need.
func (r *surfaceRig) roundTrip(overrides bool) {
	for _, change := range []func(*apiv1.CreatePost){
		func(*apiv1.CreatePost) {},
		func(p *apiv1.CreatePost) {
			p.PublishAt, p.QueueID, p.NotBefore, p.ProposedAt = nil, nil, nil, &apiv1.ProposedTime{NextSlot: true}
		},
	} {
		p := apiv1test.Post(r.refs)
		p.ExternalID, p.Managed = nil, nil
		if !overrides {
			p.SocialAccountIDs, p.TargetOverrides = []string{r.refs.Hook, r.refs.Own}, nil
		}
		change(&p)
		_, err := r.api.CreatePost(r.t.Context(), p)
		r.ok(err)
	}
	r.plainSeries(overrides)
}

// remove deletes the series and the drafts, and cancels the other posts.
func (r *surfaceRig) remove() {
	ctx := r.t.Context()
	for s, err := range r.api.EachSeries(ctx, client.SeriesQuery{}) {
		r.ok(err)
		r.ok(r.api.DeleteSeries(ctx, s.ID))
	}
	for p, err := range r.api.EachPost(ctx, client.PostQuery{}) {
		switch r.ok(err); p.Status {
		case "draft":
			r.ok(r.api.DeletePost(ctx, p.ID))
		case "scheduled":
			_, err := r.api.CancelPost(ctx, p.ID)
			r.ok(err)
		}
	}
}

var rowIDs = regexp.MustCompile(`\b(post|ser)_[0-9A-Z]{26}\b`)

// TestRowsSurviveARoundTrip: an export that is imported, and exported again, is the same.
func TestRowsSurviveARoundTrip(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"csv", "jsonl"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			onSurfaces(t, func(r *surfaceRig) {
				r.roundTrip(format == "jsonl")
				first, report := r.do("post", "export", "--format", format)
				if !strings.HasPrefix(report, "2 posts, 1 series\n") || format == "jsonl" && strings.Contains(report, "left out") {
					t.Errorf("reported: %s", report)
				}
				r.machine.In = bytes.NewReader([]byte(first))
				if out, _ := r.do("post", "import", "-", "--format", format, "--collection", "imp"); strings.Count(out, "\texists\t") != 3 {
					t.Errorf("not everything exists:\n%s", out)
				}
				r.remove()
				r.machine.In = bytes.NewReader([]byte(rowIDs.ReplaceAllString(first, "line-$0")))
				if out, _ := r.do("post", "import", "-", "--format", format, "--collection", "imp"); strings.Count(out, "\tcreated\t") != 3 {
					t.Errorf("not everything is created:\n%s", out)
				}
				second, _ := r.do("post", "export", "--format", format)
				if diff := cmp.Diff(rowIDs.ReplaceAllString(first, "ID"), rowIDs.ReplaceAllString(second, "ID")); diff != "" {
					t.Errorf("-first +second:\n%s", diff)
				}
			})
		})
	}
}

// TestPostFilesSurviveARoundTrip: exported files that are applied, and exported again, are
// the same.
func TestPostFilesSurviveARoundTrip(t *testing.T) {
	t.Parallel()
	onSurfaces(t, func(r *surfaceRig) {
		read := func(dir string) map[string]string {
			files := map[string]string{}
			list, err := filepath.Glob(filepath.Join(dir, "*", "*.png"))
			r.ok(err)
			posts, err := filepath.Glob(filepath.Join(dir, "*.md"))
			r.ok(err)
			for _, path := range append(list, posts...) {
				data, err := os.ReadFile(path)
				r.ok(err)
				name, err := filepath.Rel(dir, path)
				r.ok(err)
				files[name] = string(data)
			}
			return files
		}
		first, second := t.TempDir(), t.TempDir()
		r.roundTrip(true)
		r.do("post", "export", "--files", first, "--collection", "web")
		out, _ := r.do("plan", first, "--exit-code", "--all")
		if strings.Count(out, "unchanged\t") != 3 {
			t.Errorf("not everything is unchanged:\n%s", out)
		}
		r.remove()
		r.do("apply", first, "--yes", "--collection", "web", "--overwrite")
		config, err := os.ReadFile(filepath.Join(first, "schedctl.yaml")) // with the source of the collection
		r.ok(err)
		r.ok(os.WriteFile(filepath.Join(second, "schedctl.yaml"), config, 0o600))
		r.do("post", "export", "--files", second, "--collection", "web")
		if diff := cmp.Diff(read(first), read(second)); diff != "" {
			t.Errorf("-first +second:\n%s", diff)
		}
	})
}
