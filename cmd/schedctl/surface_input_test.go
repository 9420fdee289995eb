package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
)

// plainPost is the post on accounts that accept everything that the post has.
func (r *surfaceRig) plainPost() apiv1.CreatePost {
	p := apiv1test.Post(r.refs)
	p.SocialAccountIDs, p.TargetOverrides = []string{r.refs.Hook, r.refs.Own}, p.TargetOverrides[:1]
	return p
}

// flags returns the flags of posts with every field that has a flag, and the text.
func (r *surfaceRig) flags() []string {
	file := func(i int) string { return filepath.Join(r.dir, apiv1test.FileNames[i]) }
	alt := func(i int) string { return apiv1test.AltTexts[i] }
	return []string{
		apiv1test.Content, "--media", file(apiv1test.PostFile), "--alt", alt(apiv1test.PostFile),
		"--part", apiv1test.ThreadContent, "--part-media", "2=" + file(apiv1test.ThreadFile), "--part-alt", "2=" + alt(apiv1test.ThreadFile),
		"--first-comment", apiv1test.CommentContent, "--part-media", "comment=" + file(apiv1test.CommentFile), "--part-alt", "comment=" + alt(apiv1test.CommentFile),
		"--poll", apiv1test.PollOptions[0], "--poll", apiv1test.PollOptions[1], "--poll-for", "2d", "--poll-multiple", "--poll-hide-totals",
		"--preview-url", apiv1test.CardURL, "--preview-title", apiv1test.CardTitle, "--preview-description", apiv1test.CardText, "--preview-image", file(apiv1test.CardFile),
		"--content-warning", apiv1test.Warning, "--visibility", apiv1test.Visibility, "--language", apiv1test.Language,
		"--to", "hook", "--to", "own", "--queue", "main-q", "--label", apiv1test.Label, "--override", "own=" + apiv1test.OwnContent,
		"--override-field", "own=media=" + file(apiv1test.OwnFile), "--override-field", "own=alt=" + alt(apiv1test.OwnFile),
		"--override-field", "own=part=" + apiv1test.OwnThreadContent,
		"--override-field", "own=part-media=2=" + file(apiv1test.OwnThreadFile), "--override-field", "own=part-alt=2=" + alt(apiv1test.OwnThreadFile),
		"--override-field", "own=poll=" + apiv1test.OwnPollOptions[0], "--override-field", "own=poll=" + apiv1test.OwnPollOptions[1],
		"--override-field", "own=poll-for=3d", "--override-field", "own=poll-multiple", "--override-field", "own=poll-hide-totals",
		"--override-field", "own=content-warning=" + apiv1test.OwnWarning, "--override-field", "own=visibility=" + apiv1test.OwnVisibility,
		"--override-field", "own=language=" + apiv1test.OwnLanguage,
	}
}

// postFlags are flags with the fields that series do not have, too.
func (r *surfaceRig) postFlags() []string {
	return append(r.flags(), "--title", apiv1test.Title, "--post-style", "text_media", "--not-before", "2000-01-05 07:30")
}

// postInputs are the ways to make a post besides the API. Each returns the id of the post
// and the messages.
var postInputs = []struct {
	name  string
	input func(*surfaceRig) (id, reported string)
}{
	{"cli-create", func(r *surfaceRig) (string, string) {
		return r.made(append([]string{"post", "create", "--external-id", apiv1test.ExternalID}, r.postFlags()...)...)
	}},
	{"cli-edit", func(r *surfaceRig) (string, string) {
		p, err := r.api.CreatePost(r.t.Context(), apiv1.CreatePost{Content: "x"})
		r.ok(err)
		return r.made(append([]string{"post", "edit", p.ID}, r.postFlags()...)...)
	}},
	{"import-csv", func(r *surfaceRig) (string, string) { return r.imported("csv", "") }},
	{"import-jsonl", func(r *surfaceRig) (string, string) { return r.imported("jsonl", "") }},
	{"import-update-csv", func(r *surfaceRig) (string, string) { return r.imported("csv", "line") }},
	{"import-update-jsonl", func(r *surfaceRig) (string, string) { return r.imported("jsonl", "line") }},
	{"apply", func(r *surfaceRig) (string, string) { return r.applied() }},
	{"mcp-create", func(r *surfaceRig) (string, string) { return r.byAgent("create_draft", map[string]any{}), "" }},
	{"mcp-edit", func(r *surfaceRig) (string, string) {
		p, err := r.api.CreatePost(r.t.Context(), apiv1.CreatePost{Content: "x"})
		r.ok(err)
		return r.byAgent("edit_post", map[string]any{"id": p.ID, "version": p.Version}), ""
	}},
}

// made runs a command that makes or changes a post.
func (r *surfaceRig) made(args ...string) (id, reported string) {
	r.t.Helper()
	out, reported := r.do(append(args, "--json")...)
	var p struct{ ID string }
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		r.t.Errorf("%s: %v", out, err)
	}
	return p.ID, reported
}

var rowID = regexp.MustCompile(`\bpost_[0-9A-Z]{26}\b`)

// imported exports the post and imports it under the name of a line: as a new post, or as
// a change of one that has that name and another content.
func (r *surfaceRig) imported(format, existing string) (id, reported string) {
	p, err := r.api.CreatePost(r.t.Context(), r.plainPost())
	r.ok(err)
	file, _ := r.do("post", "export", "--format", format)
	_, err = r.api.CancelPost(r.t.Context(), p.ID)
	r.ok(err)
	file = rowID.ReplaceAllString(file, apiv1test.ExternalID+"-line")
	args := []string{"post", "import", "-", "--format", format, "--collection", "imp", "--jsonl"}
	if existing != "" {
		_, err := r.api.CreatePost(r.t.Context(), apiv1.CreatePost{
			Content: "x", ExternalID: new("imp/" + apiv1test.ExternalID + "-line"), Title: new("old-title"), Labels: []string{"old-label"},
			SocialAccountIDs: []string{r.refs.Hook, r.refs.Own},
		})
		r.ok(err)
		args = append(args, "--update")
	}
	r.machine.In = bytes.NewReader([]byte(file))
	out, reported := r.do(args...)
	var line struct {
		PostID string `json:"post_id"`
	}
	r.ok(json.Unmarshal([]byte(out), &line))
	return line.PostID, reported
}

// applied exports the post to a file, and applies the file for another collection.
func (r *surfaceRig) applied() (id, reported string) {
	request := apiv1test.Post(r.refs)
	request.ExternalID, request.Managed = nil, nil
	p, err := r.api.CreatePost(r.t.Context(), request)
	r.ok(err)
	dir := r.t.TempDir()
	r.do("post", "export", "--files", dir, "--collection", "web")
	_, err = r.api.CancelPost(r.t.Context(), p.ID)
	r.ok(err)
	r.ok(os.Remove(filepath.Join(dir, "schedctl.yaml")))
	_, reported = r.do("apply", dir, "--yes", "--collection", apiv1test.Collection)
	page, err := r.api.Posts(r.t.Context(), client.PostQuery{Collection: apiv1test.Collection})
	r.ok(err)
	if len(page.Results) != 1 {
		r.t.Fatalf("%d posts: %s", len(page.Results), reported)
	}
	return page.Results[0].ID, strings.ReplaceAll(reported, dir, "DIR")
}

// byAgent makes or changes a draft with a tool of agents. It passes the arguments and the
// options that the tool has.
func (r *surfaceRig) byAgent(tool string, arguments map[string]any) (id string) {
	var list struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]any }
			}
		}
	}
	r.ok(json.Unmarshal([]byte(r.request("POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"})), &list))
	var all map[string]any
	request := r.plainPost()
	request.TargetOverrides[0].Options = map[string]any{} // the schema has no null
	text, err := json.Marshal(request)
	r.ok(err)
	r.ok(json.Unmarshal(text, &all))
	var described struct{ Options map[string]any }
	r.ok(json.Unmarshal([]byte(r.tool("describe_options", map[string]any{"tool": tool})), &described))
	options := map[string]any{}
	for field, value := range all {
		if described.Options[field] != nil {
			options[field] = value
		}
	}
	arguments["options"] = options
	for _, t := range list.Result.Tools {
		if t.Name != tool {
			continue
		}
		for field, value := range all {
			if t.InputSchema.Properties[field] != nil {
				arguments[field] = value
			}
		}
		if t.InputSchema.Properties["proposed_at"] != nil {
			delete(arguments, "publish_at") // of scheduled posts
			arguments["proposed_at"] = "2000-01-06T08:30:00Z"
		}
	}
	var made struct{ Post struct{ ID string } }
	r.ok(json.Unmarshal([]byte(r.tool(tool, arguments)), &made))
	return made.Post.ID
}

// TestPostFromInputs: what each way to make a post makes of every field.
func TestPostFromInputs(t *testing.T) {
	t.Parallel()
	made := make([]surfaceTexts, len(postInputs))
	t.Run("inputs", func(t *testing.T) {
		for i, in := range postInputs {
			t.Run(in.name, func(t *testing.T) {
				t.Parallel()
				onSurfaces(t, func(r *surfaceRig) {
					s := r.texts()
					id, reported := in.input(r)
					s.addJSON(in.name, r.request("GET", "/api/v1/posts/"+id, nil))
					s.reported[in.name] = r.names.replace(reported)
					s.compareGolden("input")
					made[i] = *s
				})
			})
		}
	})
	checkInputs(t, "post-inputs", made, apiv1test.PostRequestFields(), postInputTable)
}

// checkInputs checks the table of the inputs of one kind.
func checkInputs(t *testing.T, name string, made []surfaceTexts, fields []string, table surfaceTable) {
	t.Helper()
	all := &surfaceTexts{&surfaceRig{t: t}, map[string]string{}, map[string]string{}}
	var names []string
	for _, s := range made {
		for surface, text := range s.shown {
			all.shown[surface], all.reported[surface] = text, s.reported[surface]
			names = append(names, surface)
		}
	}
	if slices.Sort(names); len(names) == 0 || t.Failed() {
		return
	}
	if table.surfaces == "" {
		table.surfaces = strings.Join(names, " ")
	}
	all.checkTable(name, fields, table)
}

var seriesInputs = []struct {
	name  string
	input func(*surfaceRig) (id, reported string)
}{
	{"cli-create", func(r *surfaceRig) (string, string) {
		return r.made(append([]string{"series", "create", "--external-id", apiv1test.SeriesExternalID}, r.seriesFlags()...)...)
	}},
	{"cli-edit", func(r *surfaceRig) (string, string) {
		s, err := r.api.CreateSeries(r.t.Context(), apiv1.CreateSeries{
			Name: "x", Content: "x", SocialAccountIDs: []string{r.refs.Hook}, Timezone: "UTC", Start: "2000-01-03T09:00", Rule: "FREQ=DAILY",
		})
		r.ok(err)
		_, reported := r.do(append([]string{"series", "edit", s.ID}, r.seriesFlags()...)...)
		return s.ID, reported
	}},
	{"apply", func(r *surfaceRig) (string, string) {
		dir := r.t.TempDir()
		s := r.plainSeries(true)
		r.do("post", "export", "--files", dir, "--collection", "web")
		r.ok(r.api.DeleteSeries(r.t.Context(), s.ID))
		r.ok(os.Remove(filepath.Join(dir, "schedctl.yaml")))
		_, reported := r.do("apply", dir, "--yes", "--collection", apiv1test.Collection)
		return r.onlySeries().ID, strings.ReplaceAll(reported, dir, "DIR")
	}},
	{"import-csv", func(r *surfaceRig) (string, string) { return r.importedSeries("csv") }},
	{"import-jsonl", func(r *surfaceRig) (string, string) { return r.importedSeries("jsonl") }},
}

// plainSeries makes the series without an id of its own. Without overrides, it has the
// accounts that need none.
func (r *surfaceRig) plainSeries(overrides bool) apiv1.Series {
	request := apiv1test.Series(r.refs)
	request.ExternalID, request.Managed = nil, nil
	if !overrides {
		request.SocialAccountIDs, request.TargetOverrides = []string{r.refs.Hook, r.refs.Own}, nil
	}
	s, err := r.api.CreateSeries(r.t.Context(), request)
	r.ok(err)
	return s
}

// onlySeries returns the series that a command has made.
func (r *surfaceRig) onlySeries() apiv1.Series {
	list, err := r.api.SeriesList(r.t.Context(), client.SeriesQuery{})
	r.ok(err)
	if len(list.Results) != 1 {
		r.t.Fatalf("%d series: %s", len(list.Results), &r.machine.err)
	}
	return list.Results[0]
}

var seriesRowID = regexp.MustCompile(`\bser_[0-9A-Z]{26}\b`)

// importedSeries exports the series, deletes it, and imports it under the name of a line.
func (r *surfaceRig) importedSeries(format string) (id, reported string) {
	s := r.plainSeries(format == "jsonl")
	file, _ := r.do("post", "export", "--format", format)
	r.ok(r.api.DeleteSeries(r.t.Context(), s.ID))
	r.machine.In = bytes.NewReader([]byte(seriesRowID.ReplaceAllString(file, apiv1test.SeriesExternalID)))
	_, reported = r.do("post", "import", "-", "--format", format, "--collection", "imp")
	return r.onlySeries().ID, reported
}

func (r *surfaceRig) seriesFlags() []string {
	return append(r.flags(), "--name", apiv1test.SeriesName, "--variant", apiv1test.Variants[0], "--variant", apiv1test.Variants[1],
		"--repeat", apiv1test.SeriesRule+" at 8:15 from 2000-01-04", "--tz", apiv1test.SeriesZone, "--ahead-days", "17", "--skip", "2000-01-11 08:15")
}

// TestSeriesFromInputs: what each way to make a series makes of every field.
func TestSeriesFromInputs(t *testing.T) {
	t.Parallel()
	made := make([]surfaceTexts, len(seriesInputs))
	t.Run("inputs", func(t *testing.T) {
		for i, in := range seriesInputs {
			t.Run(in.name, func(t *testing.T) {
				t.Parallel()
				onSurfaces(t, func(r *surfaceRig) {
					s := r.texts()
					id, reported := in.input(r)
					s.addJSON(in.name, r.request("GET", "/api/v1/series/"+id, nil))
					s.reported[in.name] = r.names.replace(reported)
					s.compareGolden("series-input")
					made[i] = *s
				})
			})
		}
	})
	checkInputs(t, "series-inputs", made, apiv1test.SeriesRequestFields(), seriesInputTable)
}
