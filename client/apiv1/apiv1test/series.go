package apiv1test

import "github.com/schedctl/schedctl/client/apiv1"

// The texts of the series that the post does not have.
const (
	SeriesName       = "series-name-2v"
	SeriesRule       = "FREQ=WEEKLY;BYDAY=TU,TH"
	SeriesZone       = "Europe/Lisbon"
	SeriesStart      = "2000-01-04T08:15"
	SeriesExdate     = "2000-01-11T08:15"
	SeriesExternalID = "series-ext-8w"
	SeriesPath       = "series-path-4x.md"
	SeriesAheadDays  = 17
)

// Variants are the texts that take turns.
var Variants = []string{"variant-a-5y", "variant-b-6y"}

// LeftOutOfSeries are the fields of [apiv1.CreateSeries] that the series does not set,
// with the reasons.
var LeftOutOfSeries = map[string]string{"media_asset_ids": "the short form of media"}

// Series returns the series: its content is that of [Post].
func Series(r References) apiv1.CreateSeries {
	p := Post(r)
	ahead := SeriesAheadDays
	return apiv1.CreateSeries{
		Name: SeriesName, Content: p.Content, Variants: Variants, Media: p.Media, NewExtras: p.NewExtras,
		SocialAccountIDs: p.SocialAccountIDs, TargetOverrides: p.TargetOverrides, Labels: p.Labels,
		Timezone: SeriesZone, Start: SeriesStart, Rule: SeriesRule, Exdates: []string{SeriesExdate}, AheadDays: &ahead, QueueID: p.QueueID,
		ExternalID: new(SeriesExternalID), Managed: &apiv1.Managed{Collection: Collection, Path: SeriesPath, Digest: Digest},
	}
}
