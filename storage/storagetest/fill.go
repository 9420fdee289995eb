package storagetest

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// filler gives every field of a record a unique value, so that tests detect a field
// that an engine omits or swaps with another one.
type filler struct{ n int }

// newFilled returns a record without zero fields.
func newFilled[T any](f *fixture) T {
	f.Helper()
	var v T
	(&filler{}).fill(f, reflect.ValueOf(&v).Elem(), reflect.TypeFor[T]().Name())
	return v
}

// idPrefixes maps suffixes of field names to the prefixes of their ids; the longest
// suffix wins.
var idPrefixes = map[string]schedctl.Prefix{
	"Post.ID": schedctl.PostPrefix, "Target.ID": schedctl.TargetPrefix, "Account.ID": schedctl.AccountPrefix,
	"Attempt.ID": schedctl.AttemptPrefix, "APIKey.ID": schedctl.KeyPrefix, "Event.ID": schedctl.EventPrefix,
	"Workspace.ID": schedctl.WorkspacePrefix, "Webhook.ID": schedctl.WebhookPrefix, "Delivery.ID": schedctl.DeliveryPrefix,
	"AuditEntry.ID": schedctl.AuditPrefix, "WebhookID": schedctl.WebhookPrefix, "EventID": schedctl.EventPrefix,
	"Webhook.Cursor": schedctl.EventPrefix, "AuditEntry.KeyID": schedctl.KeyPrefix,
	"WorkspaceID": schedctl.WorkspacePrefix, ".PostID": schedctl.PostPrefix, "TargetID": schedctl.TargetPrefix,
	"AccountID": schedctl.AccountPrefix, "AccountIDs": schedctl.AccountPrefix,
	"MediaAsset.ID": schedctl.MediaPrefix, "AssetID": schedctl.MediaPrefix,
	"Queue.ID": schedctl.QueuePrefix, "QueueID": schedctl.QueuePrefix, "Blackout.ID": schedctl.BlackoutPrefix,
	"Series.ID": schedctl.SeriesPrefix, "SeriesID": schedctl.SeriesPrefix, "PreviousID": schedctl.SeriesPrefix,
	"Trail.CreatedBy": schedctl.KeyPrefix, "Trail.UpdatedBy": schedctl.KeyPrefix, "Trail.ResendOf": schedctl.PostPrefix, "Trail.ResentAs": schedctl.PostPrefix,
	"MediaAsset.UploadedBy": schedctl.KeyPrefix, "Review.EditorID": schedctl.KeyPrefix, "KeyRef.ID": schedctl.KeyPrefix, "KeyRef.Share": schedctl.SharePrefix, "PostNote.ID": schedctl.NotePrefix,
	"CalendarFeed.ID": schedctl.CalendarFeedPrefix, "CalendarFeed.KeyID": schedctl.KeyPrefix,
	"Source.ID": schedctl.SourcePrefix, "Source.KeyID": schedctl.KeyPrefix, "Source.Inherits": schedctl.SourcePrefix, "SourceItem.ID": schedctl.SourceItemPrefix,
	"SourceID": schedctl.SourcePrefix, "Trail.ItemID": schedctl.SourceItemPrefix,
	"Collection.ID": schedctl.CollectionPrefix, "Alias.ID": schedctl.AliasPrefix,
	"Share.ID": schedctl.SharePrefix, "Share.KeyID": schedctl.KeyPrefix, "Notify.KeyID": schedctl.KeyPrefix, "Share.PostIDs": schedctl.PostPrefix,
}

func (l *filler) fill(f *fixture, v reflect.Value, path string) {
	f.Helper()
	l.n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(epoch.Add(time.Duration(l.n) * 1001 * time.Millisecond)))
		return
	case schedctl.Status:
		v.SetString(string(schedctl.Statuses()[1+l.n%3]))
		return
	case schedctl.Options:
		v.Set(reflect.ValueOf(schedctl.Options{
			"flag": true, "text": fmt.Sprint(l.n), "number": 1.5, "none": nil,
			"list": []any{"a", 2.0}, "object": map[string]any{"deep": "b"},
		}))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			l.fill(f, v.Field(i), v.Type().Name()+"."+v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		l.fill(f, v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		l.fillElements(f, v, path)
	case reflect.Array:
		l.fillElements(f, v, path)
	case reflect.Map:
		if v.Type() == reflect.TypeFor[map[string]int64]() {
			v.Set(reflect.ValueOf(map[string]int64{"shares": int64(l.n), "votes": 0}))
			return
		}
		v.Set(reflect.ValueOf(map[string]string{"Etag": fmt.Sprint(l.n), "Location": path}))
	case reflect.String:
		v.SetString(l.text(path))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(l.n) * 1_000_003)
	case reflect.Uint8:
		v.SetUint(uint64(l.n%255 + 1))
	default:
		f.Fatalf("%s: the suite has no value for a %s", path, v.Type())
	}
}

func (l *filler) fillElements(f *fixture, v reflect.Value, path string) {
	for i := range v.Len() {
		l.fill(f, v.Index(i), path)
	}
}

func (l *filler) text(path string) string {
	for suffix, prefix := range idPrefixes {
		if strings.HasSuffix(path, suffix) {
			return newID(prefix, epoch.Add(time.Duration(l.n)*time.Millisecond))
		}
	}
	return fmt.Sprintf("%s ünï\x01 %d", path, l.n)
}
