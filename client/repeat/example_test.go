package repeat_test

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl/client/repeat"
)

func ExampleParse() {
	now := time.Date(2026, 11, 23, 11, 0, 0, 0, time.UTC)
	r, err := repeat.Parse("monthly on the 31st at 18:00", now, time.UTC)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Rule.String())
	fmt.Println(repeat.Words(&r.Rule, r.Start))
	fmt.Println(r.Rule.Next("", 3))
	fmt.Println(r.Hints)
	// Output:
	// FREQ=MONTHLY;BYMONTHDAY=31
	// monthly on the 31st day at 18:00 from 2026-12-31
	// [2026-12-31T18:00 2027-01-31T18:00 2027-03-31T18:00]
	// [months without a day 31 are left out; for the last day of each month use BYMONTHDAY=-1 ("monthly on the last day")]
}
