package api

// readReviewNote reads the body of a step in the review of a series.
func readReviewNote(d *decoder) (note string) {
	d.object([]string{"note"}, func(string) { note = d.optionalString() })
	return note
}
