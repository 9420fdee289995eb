package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestDocumentedLimitsAreEnforced sends the example of every operation with one field changed:
// to each of its documented limits, with which the field is valid, and to one beyond it, which
// is refused with the path of the field. No request changes anything, because no transaction
// of the test is committed.
func TestDocumentedLimitsAreEnforced(t *testing.T) {
	t.Parallel()
	for id, op := range documentOperations(t) {
		if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			l := newLimitTest(t, id, op)
			l.object("", op.RequestBody.Value.Content["application/json"].Schema.Value)
			if l.sent == 0 {
				t.Error("no limit was tested")
			}
		})
	}
}

// limitTest tests the limits of the body of one operation.
type limitTest struct {
	*fixture
	id, method, path string

	body  string            // of the example
	seen  map[string]bool   // the schemas below the body
	other map[string]string // messages about fields with other rules
	have  map[string]string // values for fields that the example lacks
	sent  int
}

// nested are the operations whose objects inside the body are tested. The others have the
// same ones.
var nested = []string{"createPost", "createQueue", "createNotification"}

func newLimitTest(t *testing.T, id string, op operation) *limitTest {
	t.Helper()
	l := &limitTest{fixture: newExampleFixtureOn(t, true), id: id, method: op.method, path: op.path, body: "{}", seen: map[string]bool{}, other: map[string]string{}}
	var e example
	for _, one := range slices.Backward(readExamples(t, filepath.Join("examples", id+".json"))) {
		if one.Status < 400 {
			e = one
		}
	}
	asset := l.upload(mediatest.PDF()).ID
	names := l.standIns(e.state(id))
	for name, value := range e.Path {
		l.path = strings.ReplaceAll(l.path, "{"+name+"}", value)
	}
	if l.path = names.real(l.path); e.Request != nil {
		l.body = names.real(string(e.Request))
	}
	switch id {
	case "createMediaFromURL":
		l.body = `{"url":"http://127.0.0.1:1/"}`
	case "createPost":
		l.body = `{"content":"x","social_account_ids":["` + l.mine.account + `"]}`
	}
	l.have = map[string]string{
		"email":            `{"host":"smtp.example.com","from":"a@example.com","to":["b@example.com"]}`,
		"first_comment":    `{"content":"x"}`,
		"link_preview":     `{"url":"https://example.com/"}`,
		"managed":          `{"collection":"c","path":"p","digest":"d"}`,
		"media":            `[{"id":"` + asset + `"}]`,
		"poll":             `{"options":["a","b"]}`,
		"submit":           `{}`,
		"target_overrides": `[{"social_account_id":"` + l.mine.account + `"}]`,
		"thread":           `[{"content":"x"}]`,
	}
	l.store.FailUpdates(1_000_000, storagetest.BeforeDisk)
	return l
}

// object tests the fields of an object at a path.
func (l *limitTest) object(at string, schema *openapi3.Schema) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		path := strings.TrimPrefix(at+"."+name, ".")
		property := schema.Properties[name].Value
		null := property.Type.Includes("null")
		for _, option := range property.AnyOf {
			if option.Value.Type.Is("null") {
				null = true
			} else {
				property = option.Value
			}
		}
		l.null(path, null)
		if slices.Contains(schema.Required, name) {
			l.refused(path, nil)
		}
		l.value(path, property)
	}
}

// lenient are the fields that can be null, which is not documented.
var lenient = []string{"thread[0].media", "first_comment.media", "poll.options"}

// null tests whether a field can be null.
func (l *limitTest) null(path string, documented bool) {
	_, message := l.send(path, json.RawMessage("null"))
	if refused := strings.HasSuffix(message, ", not null") || strings.Contains(message, "is missing"); refused == (documented || slices.Contains(lenient, path)) {
		l.t.Errorf("%s: null is documented: %t; the response says %q", path, documented, message)
	}
}

// value tests the limits of a value.
func (l *limitTest) value(path string, schema *openapi3.Schema) {
	for _, option := range schema.AnyOf { // a link preview
		if option.Value.Type.Is("object") {
			schema = option.Value
		}
	}
	switch {
	case schema.Type.Includes("object") && len(schema.Properties) > 0:
		if slices.Contains(nested, l.id) && !l.seen[schema.Description] {
			l.seen[schema.Description] = true
			l.object(path, schema)
		}
	case schema.Type.Includes("array"):
		l.count(path, schema)
		l.value(path+"[0]", schema.Items.Value)
	case schema.Type.Includes("string"):
		l.text(path, schema)
	case schema.Type.Includes("integer"):
		if schema.Min != nil {
			l.accepted(path, *schema.Min)
			l.refused(path, *schema.Min-1)
		}
		if schema.Max != nil {
			l.accepted(path, *schema.Max)
			l.refused(path, *schema.Max+1)
		}
	}
}

// count tests the limits of the number of items of a list.
func (l *limitTest) count(path string, schema *openapi3.Schema) {
	list := func(n uint64) []any {
		items := make([]any, n)
		for i := range items {
			items[i] = l.item(path, schema.Items.Value, i)
		}
		return items
	}
	if n := schema.MinItems; n > 0 {
		l.accepted(path, list(n))
		l.refused(path, list(n-1))
	}
	if n := schema.MaxItems; n != nil && schema.Items.Value.Enum == nil {
		l.accepted(path, list(*n))
		l.refused(path, list(*n+1))
	}
}

// item returns item i of a list.
func (l *limitTest) item(path string, schema *openapi3.Schema, i int) any {
	if len(schema.Enum) > 0 {
		return schema.Enum[i]
	}
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch name {
	case "exdates":
		return fmt.Sprintf("%d-06-05T09:00", 2036+i)
	case "target_overrides":
		return map[string]any{"social_account_id": l.mine.account}
	case "times":
		return map[string]any{"days": []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}[i%7 : i%7+1], "at": fmt.Sprintf("%02d:%02d", i/60, i%60)}
	case "to":
		return fmt.Sprintf("a%d@example.com", i)
	case "thread":
		return map[string]any{"content": "x"}
	case "media":
		return json.RawMessage(strings.Trim(l.have["media"], "[]"))
	}
	return fmt.Sprintf("item_%d", i)
}

// text tests the limits of a text.
func (l *limitTest) text(path string, schema *openapi3.Schema) {
	if n := schema.MinLength; n > 0 {
		if !strings.HasSuffix(path, "url") { // one character is no URL
			l.accepted(path, textOf(path, int(n)))
		}
		l.refused(path, textOf(path, int(n)-1))
	}
	if n := schema.MaxLength; n != nil {
		l.accepted(path, l.public(path, textOf(path, int(*n))))
		l.refused(path, textOf(path, int(*n)+1))
	}
	for _, known := range schema.Enum {
		if known != nil {
			l.accepted(path, known)
		}
	}
	if len(schema.Enum) > 0 || schema.Pattern != "" {
		l.refused(path, "ü ü")
	}
}

// public returns the text with a public address in the place of a private one, for sources.
func (l *limitTest) public(path, text string) string {
	if !strings.HasSuffix(l.id, "Source") || path != "url" {
		return text
	}
	return "http://example.com/" + strings.TrimPrefix(text, "http://127.0.0.1:1/")
}

// textOf returns a text of n characters for a field.
func textOf(path string, n int) string {
	start := ""
	switch name := path[strings.LastIndexByte(path, '.')+1:]; {
	case n < 20:
	case name == "url", name == "approved_by":
		start = "http://127.0.0.1:1/"
	case name == "from", name == "to[0]":
		start = "a@example"
	case name == "host":
		return strings.Repeat("a", n-1) + "."
	case name == "mime_type":
		start = "image/"
	case name == "language":
		return ("aaaaaaaa" + strings.Repeat("-bbbbbbbb", 7) + "b")[:n]
	}
	return start + strings.Repeat("a", n-len(start))
}

// elsewhere are the fields with other rules that the value at a limit breaks. The response
// says so, and not what it says beyond the limit.
var elsewhere = map[string]string{
	"social_account_ids":     "the accounts do not exist",
	"post_ids":               "the posts do not exist",
	"target_ids":             "the targets do not exist",
	"media":                  "a post has fewer files",
	"media_asset_ids":        "the assets do not exist",
	"label":                  "the blackout of the example is no hold",
	"mime_type":              "the type is not allowed",
	"rule":                   "it is not an RRULE",
	"post_style":             "the post differs",
	"times":                  "a weekday has fewer times",
	"id":                     "the asset does not exist",
	"url":                    "the daemon cannot reach it",
	"visibility":             "every post on feeds is public",
	"applyCollection.source": "the collection belongs to another source",
	"addSocialAccount.name":  "names of feeds are shorter",
	"editSocialAccount.name": "names of feeds are shorter",
}

// accepted sends a body whose field has the value, and fails the test if the field is refused.
func (l *limitTest) accepted(path string, value any) {
	l.t.Helper()
	field, message := l.send(path, value)
	if field != path {
		return
	}
	if l.other[path] = message; elsewhere[path[strings.LastIndexByte(path, '.')+1:]] == "" && elsewhere[l.id+"."+path] == "" {
		l.t.Errorf("%s: %.100v is documented, and refused: %s", path, value, message)
	}
}

// refused sends a body whose field has the value, or without the field for nil, and fails the
// test unless the field is refused.
func (l *limitTest) refused(path string, value any) {
	l.t.Helper()
	if field, message := l.send(path, value); field != path || message == l.other[path] {
		l.t.Errorf("%s: %.100v is not documented, and not refused with this field: %q %s", path, value, field, message)
	}
}

// send returns the field and the message of the first fault about the field, or else of
// the first one.
func (l *limitTest) send(path string, value any) (field, message string) {
	l.t.Helper()
	l.sent++
	var sent map[string]any
	if err := json.Unmarshal([]byte(l.body), &sent); err != nil {
		l.t.Fatal(err)
	}
	l.set(sent, path, value)
	r := l.exchange(nil, l.method, l.path, sent)
	if r.status == http.StatusInternalServerError {
		l.t.Fatalf("%s: %s", path, r.body)
	}
	if r.status < 400 {
		if l.id == "validatePost" {
			return l.problem(path, r)
		}
		return "", ""
	}
	e := decodeAs[apiv1.ErrorEnvelope](l.t, r).Error
	for _, d := range e.Details {
		if d.Field == path {
			return d.Field, d.Message
		}
	}
	if len(e.Details) > 0 {
		return e.Details[0].Field, e.Details[0].Message
	}
	return "", e.Message
}

// problem returns the problem of a validation with a field.
func (l *limitTest) problem(path string, r *response) (field, message string) {
	for _, p := range decodeAs[apiv1.Validation](l.t, r).Problems {
		if p.Field == path {
			return p.Field, p.Message
		}
	}
	return "", ""
}

// set sets the value at a path. Missing objects on the way get their values in have.
func (l *limitTest) set(object map[string]any, path string, value any) {
	l.t.Helper()
	name, rest, deeper := strings.Cut(path, ".")
	name, item := strings.CutSuffix(name, "[0]")
	if !deeper && !item {
		if object[name] = value; value == nil {
			delete(object, name)
		}
		return
	}
	if object[name] == nil {
		var made any
		if err := json.Unmarshal([]byte(l.have[name]), &made); deeper && err != nil {
			l.t.Fatalf("%s: %v", path, err)
		}
		object[name] = made
	}
	if !deeper {
		list, _ := object[name].([]any)
		object[name] = append([]any{value}, list[min(1, len(list)):]...)
		return
	}
	inside := object[name]
	if item {
		inside = inside.([]any)[0]
	}
	l.set(inside.(map[string]any), rest, value)
}
