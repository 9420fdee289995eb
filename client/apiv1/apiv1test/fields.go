package apiv1test

import (
	"reflect"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
)

// PostFields returns the paths of all fields of posts: those of responses and those of
// requests, in their order, such as "thread[].media[].alt_text".
func PostFields() []string { return fieldsOf(apiv1.Post{}, apiv1.CreatePost{}, apiv1.EditPost{}) }

// SeriesFields returns the paths of all fields of series.
func SeriesFields() []string {
	return fieldsOf(apiv1.Series{}, apiv1.CreateSeries{}, apiv1.EditSeries{})
}

// opaque are the types whose fields are not followed one by one: no client sets them.
var opaque = []reflect.Type{
	reflect.TypeFor[apiv1.Target](), reflect.TypeFor[apiv1.TargetSummary](), reflect.TypeFor[apiv1.MediaAsset](), reflect.TypeFor[apiv1.Slot](),
	reflect.TypeFor[apiv1.Approval](), reflect.TypeFor[apiv1.Time](), reflect.TypeFor[apiv1.PublishTime](), reflect.TypeFor[apiv1.ProposedTime](),
}

func fieldsOf(values ...any) (paths []string) {
	for _, v := range values {
		walk(reflect.TypeOf(v), "", func(path string) {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		})
	}
	return paths
}

// walk calls add for each field that has no fields.
func walk(t reflect.Type, path string, add func(string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[apiv1.LinkPreview]():
		walk(reflect.TypeFor[apiv1.LinkCard](), path, add)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && !slices.Contains(opaque, t.Elem()):
		walk(t.Elem(), path+"[]", add)
	case t.Kind() == reflect.Struct && !slices.Contains(opaque, t):
		for f := range t.Fields() {
			if f.Anonymous {
				walk(f.Type, path, add)
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			walk(f.Type, strings.TrimPrefix(path+"."+name, "."), add)
		}
	default:
		add(path)
	}
}

// Marks are what shows that a surface carries a field of the post or of the series: a
// regular expression for its value. A surface may have other words for some fields.
var Marks = map[string]string{
	"id":           `\b(post|ser)_1\b`,
	"workspace_id": `\bws_main\b`, "content": `text-main-4f`, "title": Title, "post_style": `\btext_media\b`,
	"media[].id": `\bmain-f1\.png|med_main-f1\b`, "media[].alt_text": AltTexts[PostFile],
	"media_asset_ids": `"media_asset_ids":\s*\[\s*"med_main-f1"`, "media_assets": `"size_bytes":`,
	"thread[].content": ThreadContent, "thread[].media[].id": `\bpart-f2\.png|med_part-f2\b`, "thread[].media[].alt_text": AltTexts[ThreadFile],
	"first_comment.content": CommentContent, "first_comment.media[].id": `\bcomment-f3\.png|med_comment-f3\b`, "first_comment.media[].alt_text": AltTexts[CommentFile],
	"poll.options": `poll-a-1t(.|\n)*poll-b-2t`, "poll.expires_in_seconds": `\b172800\b|\b2d\b|\b2 days\b`,
	"poll.multiple": multiple, "poll.hide_totals": hidden,
	"link_preview.url": CardURL, "link_preview.title": CardTitle, "link_preview.description": CardText, "link_preview.image": `\bcard-f4\.png|med_card-f4\b`,
	"content_warning": `(^|[^-])\b` + Warning, "visibility": `\bfollowers\b`, "language": `\bpt-BR\b`,
	"status": `\bscheduled\b`, "publish_at": `2000-01-05[T ]08:30|5 Jan( 2000)? 08:30|20000105T083000|"next-slot"`,
	"social_account_ids": `\b(blog|hook)\b|acct_(blog|hook)`, "targets": `\bpt_\d`, "target_summary": `"target_summary"`,
	"external_id": ExternalID, "managed.collection": Collection, "managed.path": `\b` + Path, "managed.digest": Digest, "managed.pruned": `"pruned":`,
	"labels": Label, "queue_id": `que_main|main-q`, "slot": `2000-01-05[T ]09:30`, "not_before": `2000-01-05T07:30|5 Jan( 2000)? 07:30|2000-01-05 07:30`,
	"series_id": `"series_id":`, "occurrence": `"occurrence":`, "detached": `"detached":`, "approval": `"approval":`, "proposed_at": `"proposed_at":`,
	"archived_at": `"archived_at":`, "resend_of": `"resend_of":`, "resent_as": `"resent_as":`, "source_id": `"source_id":`, "source_item_id": `"source_item_id":`,
	"warnings": `"warnings":`, "proposed_also": `"proposed_also":`, "version": `"version":|version 1`, "created_at": `"created_at":`, "updated_at": `"updated_at":`,
	"created_by.id": `"created_by":`, "created_by.name": `"created_by":|(?i)created by`, "created_by.kind": `"created_by":`,
	"updated_by.id": `"updated_by":`, "updated_by.name": `"updated_by":|(?i)updated by`, "updated_by.kind": `"updated_by":`,
	"allow_blackout": `"allow_blackout":`, "allow_duplicate": `"allow_duplicate":`, "approved_by": `"approved_by":`, "submit.note": `"submit":`, "replaces": `"replaces":`,

	"target_overrides[].social_account_id": `"social_account_id":|http:own|\bown\b`, "target_overrides[].content": OwnContent,
	"target_overrides[].media[].id": `\bown-f5\.png|med_own-f5\b`, "target_overrides[].media[].alt_text": AltTexts[OwnFile],
	"target_overrides[].thread[].content": OwnThreadContent, "target_overrides[].thread[].media[].id": `\bown-part-f6\.png|med_own-part-f6\b`,
	"target_overrides[].thread[].media[].alt_text": AltTexts[OwnThreadFile],
	"target_overrides[].poll.options":              `own-poll-a-3t(.|\n)*own-poll-b-4t`, "target_overrides[].poll.expires_in_seconds": `\b259200\b|\b3d\b|\b3 days\b`,
	"target_overrides[].poll.multiple": twice(multiple), "target_overrides[].poll.hide_totals": twice(hidden),
	"target_overrides[].content_warning": OwnWarning, "target_overrides[].visibility": `\bunlisted\b`, "target_overrides[].language": `\brm-CH\b`,
	"target_overrides[].options": `\bdirect\b`,

	"name": SeriesName, "variants": `variant-a-5y(.|\n)*variant-b-6y`, "timezone": SeriesZone, "start": `2000-01-04T08:15|2000-01-04 08:15|4 Jan( 2000)? 08:15`,
	"rule": SeriesRule + `|on Tue and Thu|on tue,thu`, "exdates": `2000-01-11T08:15|2000-01-11 08:15|11 Jan( 2000)? 08:15`, "ahead_days": `\b17\b`,
	"state": `\bactive\b`, "next_at": `"next_at"`, "previous_id": `"previous_id":`,
}

const (
	multiple = `"(poll_)?multiple": ?true|several options|multiple: true`
	hidden   = `"(poll_)?hide_totals": ?true|hidden until|hide_totals: true`
)

func twice(mark string) string { return `(` + mark + `)(.|\n)*(` + mark + `)` }

// PostRequestFields returns the paths of the fields that clients set on posts.
func PostRequestFields() []string { return fieldsOf(apiv1.CreatePost{}, apiv1.EditPost{}) }

// SeriesRequestFields returns the paths of the fields that clients set on series.
func SeriesRequestFields() []string { return fieldsOf(apiv1.CreateSeries{}, apiv1.EditSeries{}) }
