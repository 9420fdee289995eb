package api

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// readCreateSeries reads the body of POST /series.
func readCreateSeries(d *decoder) usecase.SeriesChange {
	b := d.series(readAs[apiv1.CreateSeries, apiv1.EditSeries](d))
	d.require(b.Text != nil || b.Variants != nil || b.Media != nil, "content", "give the text of the posts, variants of it, or media")
	return b
}

// readEditSeries reads the body of PATCH /series/{id}.
func readEditSeries(d *decoder) usecase.SeriesChange { return d.series(read[apiv1.EditSeries](d)) }

func (d *decoder) series(b apiv1.EditSeries) usecase.SeriesChange {
	content := d.content(b.Content, b.Media, b.MediaAssetIDs, &b.ExtrasChange)
	out := usecase.SeriesChange{
		Name: b.Name, ContentChange: content.ContentChange, SetContent: content.over, MediaField: content.mediaField, Variants: b.Variants,
		AccountIDs: b.SocialAccountIDs, Overrides: newOverrides(b.TargetOverrides), Timezone: b.Timezone, Start: (*schedctl.LocalTime)(b.Start), Rule: b.Rule,
		AheadDays: b.AheadDays, QueueID: b.QueueID,
		Annotation: schedctl.Annotation{ExternalID: b.ExternalID, Managed: d.managed(b.Managed), Labels: b.Labels},
	}
	if b.Exdates != nil {
		out.Exdates = new(convert(*b.Exdates, func(text string) schedctl.LocalTime { return schedctl.LocalTime(text) }))
	}
	return out
}

// readSkipOccurrence reads the body of POST /series/{id}/skip.
func readSkipOccurrence(d *decoder) schedctl.LocalTime {
	return schedctl.LocalTime(read[apiv1.SkipOccurrence](d).Occurrence)
}
