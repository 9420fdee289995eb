package when_test

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl/client/when"
)

func ExampleParse() {
	berlin, err := when.LoadZone("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	m, err := when.Parse("tomorrow 9am", now, berlin)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Echo(now, berlin))

	_, err = when.Parse("03/04/2027 9am", now, berlin)
	fmt.Println(err)

	m, err = when.Parse("2027-03-28 02:30", now, berlin)
	if err != nil {
		panic(err)
	}
	fmt.Println(when.Format(m.Time))
	fmt.Println(m.Note)
	// Output:
	// Sun 22 Nov 2026 09:00 CET (08:00 UTC, in 22 hours 30 minutes)
	// "03/04/2027 9am" has a date that could be two days: write 2027-03-04 or 2027-04-03
	// Sun 28 Mar 2027 03:00 CEST
	// clocks in Europe/Berlin skip 02:30 on that day, so this is the first instant after the gap
}
