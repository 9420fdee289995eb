package api

import (
	"github.com/schedctl/schedctl"
)

// blackoutChange holds the fields of a request for a blackout. Nil means "not given".
type blackoutChange struct {
	from       *schedctl.LocalTime
	to         *schedctl.LocalTime // empty for an open end
	timezone   *string
	accountIDs *[]string // empty for all
	reason     *string   // empty for none
	mode       *schedctl.BlackoutMode
}

var blackoutFields = []string{"from", "to", "timezone", "social_account_ids", "reason", "mode"}

// readCreateBlackout reads the body of POST /blackouts.
func readCreateBlackout(d *decoder) (b blackoutChange) {
	d.object(blackoutFields, func(name string) { b.read(d, name) })
	d.require(b.from != nil, "from", "give the local time at which it starts, such as 2026-12-24T00:00")
	d.require(b.timezone != nil, "timezone", "give the IANA name of the zone of from and to, such as Europe/Berlin")
	d.require(b.mode != nil, "mode", "give avoid or hold")
	return b
}

// readEditBlackout reads the body of PATCH /blackouts/{id}.
func readEditBlackout(d *decoder) (b blackoutChange) {
	empty := true
	d.object(blackoutFields, func(name string) {
		empty = false
		b.read(d, name)
	})
	if empty && d.clean() {
		d.fault(schedctl.ValidationFailed, "the body changes nothing; give from, to, timezone, social_account_ids, reason or mode")
	}
	return b
}

func (b *blackoutChange) read(d *decoder, name string) {
	switch name {
	case "from":
		b.from = new(d.localTime())
	case "to":
		b.to = new(schedctl.LocalTime)
		if !d.null() {
			*b.to = d.localTime()
		}
	case "timezone":
		b.timezone = new(d.string())
	case "social_account_ids":
		b.accountIDs = new([]string)
		if !d.null() {
			*b.accountIDs = d.accountIDs()
		}
	case "reason":
		b.reason = new(string)
		if !d.null() {
			*b.reason = d.string()
		}
	case "mode":
		b.mode = new(schedctl.BlackoutMode(d.string()))
	}
}

// localTime reads a local time without a zone.
func (d *decoder) localTime() schedctl.LocalTime {
	text, ok := d.text()
	if !ok {
		return ""
	}
	local, err := schedctl.ParseLocalTime("", text)
	if err != nil {
		d.wrong(schedctl.ValidationFailed, "must be a local time such as 2026-12-08T09:00, without a zone")
	}
	return local
}

// apply changes a blackout.
func (b *blackoutChange) apply(to *schedctl.Blackout) {
	set(&to.From, b.from)
	set(&to.To, b.to)
	set(&to.Timezone, b.timezone)
	set(&to.AccountIDs, b.accountIDs)
	set(&to.Reason, b.reason)
	set(&to.Mode, b.mode)
}

// set sets a field that a request may leave out.
func set[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}
