package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// The pieces of which the fifty files are made.
var (
	fileTimes = []string{
		"", "at: 2000-03-01 09:00\ntz: Europe/Berlin", "queue: main-q", "at: \"2000-03-02T10:00:00Z\"",
		"repeat: weekly on tue,thu at 9:00\ntz: Europe/Berlin\nname: questions %d", "queue: main-q\nnot_before: 2000-02-03\ntz: Europe/Lisbon",
		"repeat: FREQ=MONTHLY;BYDAY=2TU at 18:30\ntz: Europe/Lisbon\nstart: 2000-02-01", "repeat: daily at 7:00\ntz: UTC\nqueue: main-q",
	}
	fileAccounts = []string{"to: [own, hook]", "to: own", "to: [http:own]"}

	// Files of the second list show files, so files with repeat have none of them.
	fileFields = []string{
		"labels: [launch, \"spring sale\", launch]", "content_warning: Hot drinks", "visibility: unlisted", "language: pt-BR", "link_preview: none",
		"first_comment: Ask here", "poll: {options: [Tea, Coffee]}", "poll: {options: [Tea, Coffee, Water], for: 3d, multiple: true, hide_totals: true}",
		"link_preview: {url: \"https://example.org\", title: Notes, description: \"About: tea\"}", "thread: true",
		"override: {own: \"Text of its own\"}", "override:\n  own:\n    poll: none\n    content_warning: Cold drinks\n    visibility: direct\n    language: de",
		"override:\n  own:\n    content: Own\n    thread: [\"Own two\", \"Own three\"]\n    poll: {options: [A, B], for: 1h}",
		"link_preview: auto", "labels: one",
	}
	fileMedia = []string{
		"media: [{file: main-f1.png, alt: \"A red door\"}]", "media:\n  - file: main-f1.png\n  - file: part-f2.png\n    alt: \"Two\\n\"",
		"thread: true\npart_media: {2: [{file: part-f2.png, alt: Two}]}", "first_comment: {content: Look, media: [{file: comment-f3.png}]}",
		"link_preview: {url: \"https://example.org\", image: card-f4.png}", "override:\n  own:\n    media: [{file: own-f5.png, alt: Own}]", "override:\n  own:\n    media: []",
		"first_comment: {media: [{file: comment-f3.png, alt: \"Only a picture\"}]}",
	}
)

// postFile returns the n-th file. Each piece is alone in some file, and next to others in
// further ones. A key appears once.
func postFile(n int) string {
	pieces := []string{fmt.Sprintf("id: file-%02d", n)}
	when := strings.ReplaceAll(fileTimes[n%len(fileTimes)], "%d", fmt.Sprint(n))
	pieces = append(pieces, fileAccounts[n%len(fileAccounts)])
	if when != "" {
		pieces = append(pieces, when)
	}
	extra := slices.Clone(fileFields)
	if !strings.Contains(when, "repeat") {
		extra = append(extra, fileMedia...)
	}
	used := map[string]bool{}
	for i := range n/len(extra)*2 + 1 {
		piece := extra[(n*(i+1)+i*i)%len(extra)]
		keys := []string{}
		for line := range strings.Lines(piece) {
			if key, _, found := strings.Cut(line, ":"); found && !strings.HasPrefix(key, " ") {
				keys = append(keys, key)
			}
		}
		if !slices.ContainsFunc(keys, func(k string) bool { return used[k] }) {
			pieces = append(pieces, piece)
		}
		for _, k := range keys {
			used[k] = true
		}
	}
	text := fmt.Sprintf("Text %d of https://example.org/%d\n\nwith a second paragraph", n, n)
	if used["thread"] {
		text += "\n---\nThe second part\n---\nThe third part"
	}
	return "---\n" + strings.Join(pieces, "\n") + "\n---\n\n" + text + "\n"
}

// TestDigestsOfAppliedFiles guards the digests of fifty different files: posts and series
// store them. A directory that an earlier version has applied must be unchanged.
func TestDigestsOfAppliedFiles(t *testing.T) {
	t.Parallel()
	onSurfaces(t, func(r *surfaceRig) {
		var golden strings.Builder
		for n := range 50 {
			file := postFile(n)
			r.ok(os.WriteFile(filepath.Join(r.dir, fmt.Sprintf("%02d.md", n)), []byte(file), 0o600))
		}
		r.do("apply", r.dir, "--yes", "--collection", "web", "--allow-duplicate")
		digests := map[string]string{}
		add := func(m *apiv1.Managed) {
			if m != nil {
				digests[m.Path] = m.Digest
			}
		}
		for p, err := range r.api.EachPost(r.t.Context(), client.PostQuery{Collection: "web"}) {
			r.ok(err)
			if p.SeriesID == nil {
				add(p.Managed)
			}
		}
		for s, err := range r.api.EachSeries(r.t.Context(), client.SeriesQuery{}) {
			r.ok(err)
			add(s.Managed)
		}
		for n := range 50 {
			path := fmt.Sprintf("%02d.md", n)
			fmt.Fprintf(&golden, "== %s %s\n%s", path, digests[path], postFile(n))
			if digests[path] == "" {
				r.t.Errorf("%s has no post", path)
			}
		}
		compareSurface(r.t, filepath.Join("testdata", "surface", "digests.golden"), golden.String())
		out, _ := r.do("plan", r.dir, "--collection", "web", "--exit-code", "--all")
		if got := strings.Count(out, "unchanged\t"); got != 50 {
			r.t.Errorf("%d of 50 files are unchanged:\n%s", got, out)
		}
	})
}
