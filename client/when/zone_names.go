package when

import (
	_ "embed"
	"strings"
	"sync"
)

// ZoneNames are the names of time zones in the IANA database, a line each.
//
//go:embed zones.txt
var ZoneNames string

// countryZones are the names of countries and their zones, a line each, after zone.tab of the
// IANA database. A country whose zones have the same clocks, or one zone that nearly everyone
// means, has one.
//
//go:embed countries.txt
var countryZones string

// countries returns the zones of each country.
var countries = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(countryZones) {
		name, zones, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[name] = strings.Split(zones, ",")
	}
	return all
})

// manyPlaces are names that several places in different zones have. The IANA database has
// only one of these places.
var manyPlaces = map[string][]string{
	"samoa":      {"Pacific/Apia", "Pacific/Pago_Pago"},
	"georgia":    {"Asia/Tbilisi", "America/New_York"},
	"san juan":   {"America/Puerto_Rico", "America/Argentina/San_Juan"},
	"san luis":   {"America/Argentina/San_Luis", "America/Mexico_City"},
	"victoria":   {"Australia/Melbourne", "America/Vancouver", "Indian/Mahe"},
	"cordoba":    {"America/Argentina/Cordoba", "Europe/Madrid"},
	"la rioja":   {"America/Argentina/La_Rioja", "Europe/Madrid"},
	"merida":     {"America/Merida", "America/Caracas", "Europe/Madrid"},
	"petersburg": {"Europe/Moscow", "America/Indiana/Petersburg", "America/New_York"},
	"vincennes":  {"America/Indiana/Vincennes", "Europe/Paris"},
	"monticello": {"America/Kentucky/Monticello", "America/Chicago"},
}

// namedZones are the zones that people mean by a name that the IANA database does not
// have, or has for a zone without daylight saving time.
var namedZones = map[string]string{
	"et": "America/New_York", "est": "America/New_York", "edt": "America/New_York", "eastern": "America/New_York",
	"ct": "America/Chicago", "cdt": "America/Chicago",
	"mt": "America/Denver", "mst": "America/Denver", "mdt": "America/Denver",
	"pt": "America/Los_Angeles", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles",
	"akst": "America/Anchorage", "akdt": "America/Anchorage", "hst": "Pacific/Honolulu", "adt": "America/Halifax",
	"nst": "America/St_Johns", "ndt": "America/St_Johns", "brt": "America/Sao_Paulo", "art": "America/Argentina/Buenos_Aires",
	"cet": "Europe/Berlin", "cest": "Europe/Berlin", "wet": "Europe/Lisbon", "west": "Europe/Lisbon",
	"eet": "Europe/Helsinki", "eest": "Europe/Helsinki", "msk": "Europe/Moscow", "idt": "Asia/Jerusalem",
	"sast": "Africa/Johannesburg", "cat": "Africa/Maputo", "eat": "Africa/Nairobi", "wat": "Africa/Lagos",
	"pkt": "Asia/Karachi", "wib": "Asia/Jakarta", "wita": "Asia/Makassar", "wit": "Asia/Jayapura",
	"jst": "Asia/Tokyo", "kst": "Asia/Seoul", "sgt": "Asia/Singapore", "hkt": "Asia/Hong_Kong",
	"awst": "Australia/Perth", "aedt": "Australia/Sydney", "acdt": "Australia/Adelaide",
	"nzst": "Pacific/Auckland", "nzdt": "Pacific/Auckland",

	"bombay": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata", "bangalore": "Asia/Kolkata", "beijing": "Asia/Shanghai",
	"san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "boston": "America/New_York", "munich": "Europe/Berlin",
}

// manyZones are abbreviations that people in several zones use for theirs. They are
// read only where the local zone is one of them.
var manyZones = map[string][]string{
	"cst":  {"America/Chicago", "Asia/Shanghai", "America/Havana"},
	"ist":  {"Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"},
	"bst":  {"Europe/London", "Asia/Dhaka"},
	"ast":  {"America/Halifax", "Asia/Riyadh"},
	"gst":  {"Asia/Dubai", "Pacific/Guam"},
	"sst":  {"Pacific/Pago_Pago", "Asia/Singapore"},
	"amt":  {"America/Manaus", "Asia/Yerevan"},
	"aest": {"Australia/Sydney", "Australia/Brisbane"},
	"acst": {"Australia/Adelaide", "Australia/Darwin"},
}

// offsetZones are zones with offsets of a part of an hour, which they have all year.
var offsetZones = map[string]string{
	"+03:30": "Asia/Tehran", "+04:30": "Asia/Kabul", "+05:30": "Asia/Kolkata", "+05:45": "Asia/Kathmandu",
	"+06:30": "Asia/Yangon", "+08:45": "Australia/Eucla", "+09:30": "Australia/Darwin", "-09:30": "Pacific/Marquesas",
}

// posixZones are the zones of POSIX rules, as the IANA database has them: the names
// with their offsets, and then the changes of a year.
var posixZones = map[string]struct{ zone, changes string }{
	"UTC0": {"UTC", ""}, "GMT0": {"UTC", ""},
	"GMT0BST": {"Europe/London", "M3.5.0/1,M10.5.0"}, "WET0WEST": {"Europe/Lisbon", "M3.5.0/1,M10.5.0"},
	"CET-1CEST": {"Europe/Berlin", "M3.5.0,M10.5.0/3"}, "EET-2EEST": {"Europe/Helsinki", "M3.5.0/3,M10.5.0/4"},
	"IST-1GMT0": {"Europe/Dublin", "M10.5.0,M3.5.0/1"}, "MSK-3": {"Europe/Moscow", ""}, "IST-2IDT": {"Asia/Jerusalem", "M3.4.4/26,M10.5.0"},
	"EST5EDT": {"America/New_York", "M3.2.0,M11.1.0"}, "CST6CDT": {"America/Chicago", "M3.2.0,M11.1.0"},
	"MST7MDT": {"America/Denver", "M3.2.0,M11.1.0"}, "PST8PDT": {"America/Los_Angeles", "M3.2.0,M11.1.0"},
	"AKST9AKDT": {"America/Anchorage", "M3.2.0,M11.1.0"}, "AST4ADT": {"America/Halifax", "M3.2.0,M11.1.0"},
	"NST3:30NDT": {"America/St_Johns", "M3.2.0,M11.1.0"}, "EST5": {"America/Panama", ""}, "MST7": {"America/Phoenix", ""},
	"HST10": {"Pacific/Honolulu", ""}, "JST-9": {"Asia/Tokyo", ""}, "KST-9": {"Asia/Seoul", ""}, "IST-5:30": {"Asia/Kolkata", ""},
	"CST-8": {"Asia/Shanghai", ""}, "HKT-8": {"Asia/Hong_Kong", ""}, "PKT-5": {"Asia/Karachi", ""}, "<-03>3": {"America/Sao_Paulo", ""},
	"<+08>-8": {"Asia/Singapore", ""}, "SAST-2": {"Africa/Johannesburg", ""}, "AWST-8": {"Australia/Perth", ""},
	"AEST-10": {"Australia/Brisbane", ""}, "AEST-10AEDT": {"Australia/Sydney", "M10.1.0,M4.1.0/3"},
	"ACST-9:30": {"Australia/Darwin", ""}, "ACST-9:30ACDT": {"Australia/Adelaide", "M10.1.0,M4.1.0/3"},
	"NZST-12NZDT": {"Pacific/Auckland", "M9.5.0,M4.1.0/3"},
}
