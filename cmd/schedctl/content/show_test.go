package content_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

// TestReviewersSeeEveryField guards that everything that a post publishes is shown, with the
// characters that do not show.
func TestReviewersSeeEveryField(t *testing.T) {
	t.Parallel()
	var p apiv1.Post
	var marked []string
	for _, name := range []string{
		"Content", "Media", "Thread", "FirstComment", "Poll", "LinkPreview", "ContentWarning", "Visibility", "Language", "TargetOverrides",
	} {
		fill(reflect.ValueOf(&p).Elem().FieldByName(name), name, &marked)
	}
	p.LinkPreview.Mode, p.Approval = "", &apiv1.Approval{}
	fill(reflect.ValueOf(p.Approval).Elem().FieldByName("Card"), "Approval.Card", &marked)
	a := &cli.App{System: cli.System{Getenv: func(string) string { return "" }}}
	shown := string(a.RenderProperties(content.Properties(a, p))) + content.Text(a, p, func(id string) string { return id })
	for _, name := range marked {
		if !strings.Contains(shown, "["+name+"␣U+200B]") {
			t.Errorf("%s is not shown", name)
		}
	}
	if len(marked) < 20 || strings.ContainsRune(shown, '\u200b') {
		t.Errorf("%d fields; a character that does not show is in\n%s", len(marked), shown)
	}
}

// fill fills the texts of a value with their paths and a character that does not show.
func fill(v reflect.Value, path string, marked *[]string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path, marked)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path, marked)
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"option": "[" + path + "\u200b]"}))
		*marked = append(*marked, path)
	case reflect.Struct:
		for field, _ := range v.Fields() {
			if !slices.Contains([]string{"ID", "SocialAccountID", "Mode", "Image"}, field.Name) {
				fill(v.FieldByIndex(field.Index), path+"."+field.Name, marked)
			}
		}
	case reflect.String:
		v.SetString("[" + path + "\u200b]")
		*marked = append(*marked, path)
	}
}
