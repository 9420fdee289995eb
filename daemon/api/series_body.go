package api

import (
	"github.com/schedctl/schedctl"
)

// seriesChange holds the fields of a request for a series. Nil means "not given".
type seriesChange struct {
	name *string
	contentBody
	variants   *[]string
	accountIDs *[]string
	overrides  *[]schedctl.Override
	schedctl.Annotation

	timezone  *string
	start     *schedctl.LocalTime
	rule      *string
	exdates   *[]schedctl.LocalTime
	aheadDays *int
	queueID   *string // empty for none
}

var seriesFields = append([]string{
	"name", "content", "variants", "media", "media_asset_ids", "social_account_ids", "target_overrides", "labels",
	"timezone", "start", "rule", "exdates", "ahead_days", "queue_id", "external_id", "managed",
}, extraFields...)

// readCreateSeries reads the body of POST /series.
func readCreateSeries(d *decoder) (b seriesChange) {
	d.object(seriesFields, func(name string) { b.read(d, name) })
	d.require(b.name != nil, "name", "give the series a name")
	d.require(b.Text != nil || b.variants != nil || b.Media != nil, "content", "give the text of the posts, variants of it, or media")
	d.require(b.accountIDs != nil, "social_account_ids", "name the accounts of the posts")
	d.require(b.timezone != nil, "timezone", "give the IANA name of the zone of start, such as Europe/Berlin")
	d.require(b.start != nil, "start", "give the local time at which the rule starts, such as 2026-12-08T09:00")
	d.require(b.rule != nil, "rule", "give an RRULE, such as FREQ=WEEKLY;BYDAY=TU,TH")
	return b
}

// readEditSeries reads the body of PATCH /series/{id}.
func readEditSeries(d *decoder) (b seriesChange) {
	empty := true
	d.object(seriesFields, func(name string) {
		empty = false
		b.read(d, name)
	})
	if empty && d.clean() {
		d.fault(schedctl.ValidationFailed, "the body changes nothing; give content, rule or another field of a series")
	}
	return b
}

func (b *seriesChange) read(d *decoder, name string) {
	switch name {
	case "name":
		b.name = new(d.string())
	case "variants":
		b.variants = new(d.variants())
	case "social_account_ids":
		b.accountIDs = new(d.accountIDs())
	case "target_overrides":
		b.overrides = new(d.overrides())
	case "timezone":
		b.timezone = new(d.string())
	case "start":
		b.start = new(d.localTime())
	case "rule":
		b.rule = new(d.string())
	case "exdates":
		b.exdates = new(d.exdates())
	case "ahead_days":
		b.aheadDays = new(d.aheadDays())
	case "queue_id":
		b.queueID = new("")
		if !d.null() {
			*b.queueID = d.optionalID()
		}
	default:
		if !d.contentField(name, &b.contentBody) {
			d.annotation(name, &b.Annotation)
		}
	}
}

// variants reads a list of texts.
func (d *decoder) variants() []string {
	return shortList(d, "a list of strings", schedctl.MaxVariants, "send fewer variants", d.string)
}

// exdates reads a list of local times.
func (d *decoder) exdates() []schedctl.LocalTime {
	return shortList(d, "a list of strings", schedctl.MaxExdates, "change the rule instead", d.localTime)
}

// aheadDays reads a number of days.
func (d *decoder) aheadDays() int {
	if d.peek() != '0' {
		d.mismatch("a number")
		return 0
	}
	n := d.number()
	if n != float64(int(n)) || n < 1 || n > schedctl.MaxAheadDays {
		d.wrong(schedctl.ValidationFailed, "must be a whole number from 1 to %d", schedctl.MaxAheadDays)
		return 0
	}
	return int(n)
}

// previewSeries is the body of POST /series/preview.
type previewSeries struct {
	timezone, rule string
	start          schedctl.LocalTime
	exdates        []schedctl.LocalTime
}

func readPreviewSeries(d *decoder) (b previewSeries) {
	given := map[string]bool{}
	d.object([]string{"timezone", "start", "rule", "exdates"}, func(name string) {
		given[name] = true
		switch name {
		case "timezone":
			b.timezone = d.string()
		case "start":
			b.start = d.localTime()
		case "rule":
			b.rule = d.string()
		case "exdates":
			b.exdates = d.exdates()
		}
	})
	d.require(given["timezone"], "timezone", "give the IANA name of the zone of start, such as Europe/Berlin")
	d.require(given["start"], "start", "give the local time at which the rule starts, such as 2026-12-08T09:00")
	d.require(given["rule"], "rule", "give an RRULE, such as FREQ=WEEKLY;BYDAY=TU,TH")
	return b
}

// readSkipOccurrence reads the body of POST /series/{id}/skip.
func readSkipOccurrence(d *decoder) (occurrence schedctl.LocalTime) {
	given := false
	d.object([]string{"occurrence"}, func(string) {
		given = true
		occurrence = d.localTime()
	})
	d.require(given, "occurrence", "give the local time of the occurrence, such as 2026-12-08T09:00")
	return occurrence
}
