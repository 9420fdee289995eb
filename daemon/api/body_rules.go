package api

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// missing is the advice about required fields, by type and field.
var missing = map[string]string{
	"AddAccount.platform":                "name the network, such as mastodon",
	"AddNote.text":                       "write the note",
	"AdoptCollection.source":             adviseSource,
	"ApplyCollection.source":             adviseSource,
	"Revision.commit":                    "give the hash of the commit",
	"Revision.committed_at":              "give the committer time of the commit",
	"CreateAPIKey.name":                  "say what the key is for",
	"CreateBlackout.from":                "give the local time at which it starts, such as 2026-12-24T00:00",
	"CreateBlackout.mode":                "give avoid or hold",
	"CreateBlackout.timezone":            "give the IANA name of the zone of from and to, such as Europe/Berlin",
	"CreateCalendarFeed.name":            "say which calendar program reads it",
	"CreateQueue.name":                   "name the queue, such as weekdays",
	"CreateQueue.times":                  `say when posts are published, such as [{"days": ["mon", "thu"], "at": "09:00"}]`,
	"CreateQueue.timezone":               "name the zone of the times, such as Europe/Berlin",
	"CreateSeries.name":                  "give the series a name",
	"CreateSeries.rule":                  adviseRule,
	"CreateSeries.start":                 adviseStart,
	"CreateSeries.timezone":              adviseZone,
	"CreateShare.kind":                   "give review or calendar",
	"CreateShare.name":                   "name the person who gets the address",
	"CreateSource.name":                  "name the source, such as blog",
	"CreateSource.social_account_ids":    "name the accounts of the posts",
	"SendSourceItem.external_id":         "give an id that the item always has",
	"SendSourceItem.title":               "give the title of the item",
	"ReleaseSource.take":                 "say how many of the newest items make posts; 0 for none",
	"SourceOverride.social_account_id":   adviseAccount,
	"SourceOverride.template":            "give the template for this account",
	"SourceAuth.username":                "give the name",
	"SourceAuth.password":                "give the password",
	"SourceHeader.name":                  "name the header",
	"SourceHeader.value":                 "give the value of the header",
	"SourceItemImage.url":                "give the address of the picture",
	"CreateWebhook.event_types":          "name what to tell, such as " + string(schedctl.EventPostPublished),
	"CreateWebhook.url":                  "say where to call, such as https://example.com/hooks",
	"CreateWorkspace.name":               "say whose posts it is for",
	"EditMedia.alt_text":                 "give the new alt text, or null for none",
	"EmailSettings.from":                 "name the sender, such as schedctl@example.com",
	"EmailSettings.host":                 "name the mail server, such as smtp.example.com",
	"EmailSettings.to":                   `name the recipients, such as ["ops@example.com"]`,
	"Managed.collection":                 adviseManaged,
	"Managed.digest":                     adviseManaged,
	"Managed.path":                       adviseManaged,
	"OrderQueue.post_ids":                "name posts of the queue in their new order",
	"Override.social_account_id":         adviseAccount,
	"PostMedia.id":                       adviseAsset,
	"PreviewSeries.rule":                 adviseRule,
	"PreviewSeries.start":                adviseStart,
	"PreviewSeries.timezone":             adviseZone,
	"QueueTime.at":                       "give the time of day, such as 09:00",
	"QueueTime.days":                     `name the weekdays, such as ["mon", "thu"]`,
	"ReplayWebhook.since":                "set the start time; " + timeExample,
	"RequestChanges.note":                "say what has to change",
	"SetAccountGroup.social_account_ids": "name the accounts of the group",
	"SetSnippet.text":                    "write the text",
	"SkipOccurrence.occurrence":          "give the local time of the occurrence, such as 2026-12-08T09:00",
	"CreateSeries.social_account_ids":    "name the accounts of the posts",
}

// Advice of several fields.
const (
	adviseAccount = "name one of social_account_ids"
	adviseAsset   = "give the id of a media asset"
	adviseManaged = "managed needs collection, path and digest"
	adviseRule    = "give an RRULE, such as FREQ=WEEKLY;BYDAY=TU,TH"
	adviseStart   = "give the local time at which the rule starts, such as 2026-12-08T09:00"
	adviseSource  = "name the repository that the files are in, such as github.com/me/posts"
	adviseZone    = "give the IANA name of the zone of start, such as Europe/Berlin"
)

// unchanged is what a body without fields has to give, by type.
var unchanged = map[string]string{
	"EditAccount":      "name, credentials, options or existing",
	"EditBlackout":     "from, to, timezone, social_account_ids, reason, mode or managed",
	"EditNotification": "social_account_id, email, event_types, about, review_link, name or enabled",
	"EditQueue":        "name, timezone, times, social_account_ids, gap, default or managed",
	"EditSeries":       "content, rule or another field of a series",
	"EditSource":       "name, url, template or another field of a source",
	"EditWebhook":      "url, event_types, name or enabled",
	"EditWorkspace":    "approvals, four_eyes, locale or existing",
}

// unchanged adds a fault about a body that changes nothing.
func (d *decoder) unchanged(give string) {
	d.fault(schedctl.ValidationFailed, "the body changes nothing; give %s", give)
}

// count has the texts about the number of the items of a list; see [limitText].
type count struct {
	tooFew, tooMany string
	read            int64  // how many items are read, if that is not the documented limit
	want            string // what the list is
}

// maxPollRead is how many options of a poll are read.
const maxPollRead = 100

// counts are the lists whose number of items the reader checks.
var counts = map[string]count{
	"CreateAPIKey.social_account_ids":    {tooFew: "is empty; leave it out for a key without a limit"},
	"EmailSettings.to":                   {tooFew: "has {n} addresses; give {min} to {max}", tooMany: "has {n} addresses; give {min} to {max}", want: "a list of e-mail addresses"},
	"Poll.options":                       {tooMany: "has more than {max} entries; send fewer options", read: maxPollRead},
	"SetAccountGroup.social_account_ids": {tooFew: "is empty; name the accounts of the group", tooMany: "has {n} accounts; a group has at most {max}"},
	"include":                            {tooMany: "has more than {max} entries"},
	"exclude":                            {tooMany: "has more than {max} entries"},
	"categories":                         {tooMany: "has more than {max} entries"},
	"authors":                            {tooMany: "has more than {max} entries"},
	"tags":                               {tooMany: "has more than {max} entries"},
	"days":                               {tooFew: "is empty; name one or more of {enum}"},
	"event_types":                        {tooFew: "is empty; name one or more of {enum}"},
	"exdates":                            {tooMany: "has more than {max} entries; change the rule instead"},
	"labels":                             {tooMany: "has more than {max} entries"},
	"media":                              {tooMany: "has more than {max} entries; send fewer files"},
	"media_asset_ids":                    {tooMany: "has more than {max} entries; send fewer files"},
	"post_ids":                           {tooFew: "has {n} posts; give {min} to {max}", tooMany: "has {n} posts; give {min} to {max}"},
	"scopes":                             {tooFew: "is empty; leave it out for the default scopes"},
	"target_ids":                         {tooFew: "names no target; leave it out for all failed ones", tooMany: "names {n} targets and a post has at most {max}; leave it out for all failed ones"},
	"target_overrides":                   {tooMany: "has more than {max} entries; a post has at most {max} accounts, and each has one override at most"},
	"thread":                             {tooMany: "has more than {max} entries; a thread has at most so many parts after the first one"},
	"times":                              {tooMany: "has more than {max} entries; give one entry for each time of day", want: "a list of times"},
	"variants":                           {tooMany: "has more than {max} entries; send fewer variants"},
}

// limitText is a text about a number, or about a list with n items. Its String replaces {n},
// {min}, {max} and {enum}.
type limitText struct {
	text string
	n    int64
	of   *value
}

// String returns the text.
func (t limitText) String() string {
	return strings.NewReplacer("{n}", strconv.FormatInt(t.n, 10), "{min}", strconv.FormatInt(t.of.least, 10), "{max}", strconv.FormatInt(t.of.most, 10),
		"{enum}", strings.Join(t.of.enum, ", ")).Replace(t.text)
}

// nouns name an item of a list of known texts.
var nouns = map[reflect.Type]string{
	reflect.TypeFor[string]():             "weekday",
	reflect.TypeFor[schedctl.EventType](): "event type",
	reflect.TypeFor[schedctl.Scope]():     "scope",
}

// maxNumber is the largest number in a body.
const maxNumber = 1 << 53

// numeral says what a number has to be; see [limitText].
type numeral struct {
	wrong string
	read  int64 // how large a number is read, if that is not the documented limit
}

// numbers are the numbers in bodies.
var numbers = map[string]numeral{
	"ahead_days":         {wrong: "must be a whole number from {min} to {max}"},
	"expires_in_seconds": {wrong: "must be a whole number of seconds", read: math.MaxInt64 / int64(time.Second)},
	"max_per_day":        {wrong: "must be a whole number from {min} to {max}"},
	"take":               {wrong: "must be a whole number from {min} to {max}"},
	"port":               {wrong: "must be a number from {min} to {max}"},
	"size_bytes":         {wrong: "must be a whole number of bytes, at least {min}"},
}

// bypasses are the fields with which a person overrides a check.
var bypasses = []string{"allow_duplicate", "allow_blackout", "force"}
