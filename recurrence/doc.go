// Package recurrence expands the rules of series: RRULEs of RFC 5545 (section 3.3.10)
// with a frequency from DAILY to YEARLY and at most four occurrences a day.
//
// A rule is expanded as civil time, without a zone: the occurrences of "every day at
// 9:00" are 9:00 on every day, also across clock changes. The caller turns each local
// time into an instant with [schedctl.LocalTime.In].
//
// The expansion follows RFC 5545 with these decisions, where programs differ:
//
//   - A start that does not fit the rule is not an occurrence.
//   - A day that a month does not have is left out. [Parse] returns a hint then.
//   - UNTIL with a date alone includes that day. UNTIL with a Z is an instant, and is
//     converted to the zone of the rule.
//   - COUNT counts all occurrences, also those that are skipped later.
//   - BYWEEKNO needs BYDAY, because RFC 5545 does not say which day is meant without.
package recurrence
