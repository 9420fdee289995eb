package postlist

import "time"

// FirstOfDay returns the first post of the day of post i.
func (f *Feed) FirstOfDay(i int, zone *time.Location) int {
	p, _ := f.At(i)
	for ; i > 0; i-- {
		q, ok := f.At(i - 1)
		if !ok || Planned(q) == nil || !DayOf(Planned(q).Time, zone).Equal(DayOf(Planned(p).Time, zone)) {
			break
		}
	}
	return i
}

// DayOf returns the start of the day of a time.
func DayOf(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// MonthOf returns the first day of the month of t.
func MonthOf(t time.Time, zone *time.Location) time.Time {
	y, m, _ := t.In(zone).Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, zone)
}
