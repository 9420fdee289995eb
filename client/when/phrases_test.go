package when_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/client/when"
)

var update = flag.Bool("update", false, "write the phrases as they are read")

// phrases is a table of what people write: a text, then the time that it means in Berlin and
// its note, or the reason of the error and its message. Read each line that you change.
const phrases = "testdata/phrases.txt"

// minPhrases is how many different phrases the table has at least.
const minPhrases = 400

func TestPhrases(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile(phrases)
	if err != nil {
		t.Fatal(err)
	}
	berlin := zone(t, "Europe/Berlin")
	var read strings.Builder
	known := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		text, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		known[text] = true
		got := text + "\t"
		m, err := when.Parse(text, now, berlin)
		var e *when.Error
		switch {
		case errors.As(err, &e):
			got += "!" + e.Reason.String() + "\t" + e.Error()
		case m.Note != "":
			got += m.Time.Format(time.RFC3339) + "\t" + m.Note
		default:
			got += m.Time.Format(time.RFC3339)
		}
		read.WriteString(got + "\n")
		if got+"\n" != line && !*update {
			t.Errorf("-want +got:\n-%s\n+%s", strings.TrimSuffix(line, "\n"), got)
		}
	}
	if len(known) < minPhrases {
		t.Errorf("the table has %d different phrases, want at least %d", len(known), minPhrases)
	}
	if *update {
		if err := os.WriteFile(phrases, []byte(read.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What an error advises to write is read.
func TestAdviceIsRead(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile(phrases)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		_, advice, found := strings.Cut(line, ": write \"")
		if !found || !strings.Contains(line, "\t!unreadable") {
			continue
		}
		advice, _, _ = strings.Cut(advice, "\"")
		if _, err := when.Parse(advice, now, time.UTC); err != nil {
			t.Errorf("%s%v", line, err)
		}
	}
}

// Every time that the program prints is read as the same instant, in the zone in which it
// was printed, also in the hour that a clock change repeats.
func TestParseReadsItsOwnOutput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		local, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(1.6e9, 2.1e9).Draw(t, "now"), 0)
		at := now.Add(time.Duration(rapid.Int64Range(-3e8, 3e8).Draw(t, "seconds")) * time.Second).In(local)
		if _, change := at.ZoneBounds(); rapid.Bool().Draw(t, "near a change") && !change.IsZero() {
			at = change.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "from it")) * time.Second)
		}
		for _, text := range []string{when.Format(at), at.Format(time.RFC3339), at.Format(time.RFC1123Z), strings.ToLower(when.Format(at))} {
			if m, err := when.Parse(text, now, local); err != nil || !m.Time.Equal(at) {
				t.Fatalf("%s in %s: got %v and %v", text, local, m.Time, err)
			}
		}
		wall := at.Format("2006-01-02 15:04")
		if m, err := when.Parse(wall, now, local); err != nil || m.Time.Format("2006-01-02 15:04") != wall {
			t.Fatalf("%s in %s: got %v and %v", wall, local, m.Time, err)
		}
		if relative := when.Relative(at, now); relative != "now" {
			if _, err := when.Parse(relative, now, local); err != nil {
				t.Fatalf("%q: %v", relative, err)
			}
		}
	})
}

// A time that is printed for another zone is read as the same instant in every local zone.
func TestParseReadsTimesOfOtherZones(t *testing.T) {
	t.Parallel()
	for _, local := range []string{
		"Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "America/New_York", "America/Chicago", "America/Phoenix", "America/Jamaica",
		"America/Havana", "America/Halifax", "Asia/Kolkata", "Asia/Shanghai", "Asia/Manila", "Asia/Jerusalem", "Australia/Sydney", "Pacific/Pago_Pago", "UTC",
	} {
		here := zone(t, local)
		for name := range strings.Lines(when.ZoneNames) {
			loc := zone(t, strings.TrimSpace(name))
			for _, month := range []time.Month{time.January, time.April, time.July, time.October} {
				at := time.Date(2027, month, 15, 12, 0, 0, 0, time.UTC).In(loc)
				if m, err := when.Parse(when.FormatFor(at, here), now, here); err != nil || !m.Time.Equal(at) {
					t.Errorf("%s for %s in %s: got %v and %v", when.FormatFor(at, here), loc, here, m.Time, err)
				}
			}
		}
	}
}

// Every country of the table is read, or refused with its zones, which are read.
func TestCountries(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("countries.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		name, zones, _ := strings.Cut(strings.TrimSpace(line), "\t")
		several := strings.Contains(zones, ",")
		loc, err := when.LoadZone(name)
		var e *when.Error
		switch {
		case several && (!errors.As(err, &e) || e.Reason != when.Ambiguous):
			t.Errorf("%s: got %v and %v, want a list of zones", name, loc, err)
		case !several && err != nil:
			t.Errorf("%s: %v", name, err)
		}
		for z := range strings.SplitSeq(zones, ",") {
			if _, err := when.LoadZone(z); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := when.Parse("1 jul 2027 9am "+strings.ToUpper(name), now, time.UTC); several != (err != nil) {
			t.Errorf("%s at the end of a time: %v", name, err)
		}
	}
	for _, name := range []string{"Factory", "posixrules", "localtime", "right/Europe/Berlin", "west", "West"} {
		if loc, err := when.LoadZone(name); err == nil {
			t.Errorf("%s is read as %s", name, loc)
		}
	}
}

// TestLocalZone covers the values of TZ.
func TestLocalZone(t *testing.T) {
	t.Parallel()
	for tz, want := range map[string]string{
		"": "Local", "UTC": "Local", "Europe/Berlin": "Local", ":Asia/Tokyo": "Local",
		"CET-1CEST": "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3": "Europe/Berlin", "CET-1CEST,M3.5.0/2,M10.5.0/3": "Europe/Berlin",
		"EST5EDT,M3.2.0,M11.1.0": "America/New_York", "<-03>3": "America/Sao_Paulo", "JST-9": "Asia/Tokyo",
	} {
		loc := when.LocalZone(tz)
		if err := when.CheckZone(loc); err != nil || loc.String() != want {
			t.Errorf("TZ=%s: got %s and %v, want %s", tz, loc, err, want)
		}
	}
	for tz, hint := range map[string]string{
		"Mars/Olympus": "IANA", "Europe/Berln": "TZ=Europe/Berlin", "Berlin": "TZ=Europe/Berlin", "/no/such/file": "IANA",
		"CET-1CEST,M3.2.0,M11.1.0": "IANA", "XYZ5": "IANA",
	} {
		loc := when.LocalZone(tz)
		var e *when.Error
		if err := when.CheckZone(loc); !errors.As(err, &e) || !strings.Contains(e.Hint, hint) || !strings.Contains(e.Message, tz) {
			t.Errorf("TZ=%s: got %v, want a hint with %s", tz, err, hint)
		}
		for _, text := range []string{"tomorrow 9am", "2026-12-08 09:00", "friday noon", "9am", "in 1d", "in 1 month", "-1w"} {
			if m, err := when.Parse(text, now, loc); !errors.As(err, &e) || !strings.Contains(e.Message, tz) {
				t.Errorf("TZ=%s: %s is read as %v: %v", tz, text, m.Time, err)
			}
		}
		for _, text := range []string{"tomorrow 9am Berlin", "2026-12-08T09:00:00Z", "2026-12-08 09:00 +0100", "in 2h", "@1796720400", "9am UTC"} {
			if _, err := when.Parse(text, now, loc); err != nil {
				t.Errorf("TZ=%s: %s: %v", tz, text, err)
			}
		}
	}
}

// A zone that is written at the end of a time is a zone alone, too.
func TestZonesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Berlin", "New York", "ET", "PT", "UK", "India", "GMT+2", "+05:30", "EST", "mst", "HST", "PST", "utc", "Europe/Berlin", "Buenos Aires",
		"south africa", "+1245", "UTC -3", "CST", "IST", "Mars", "Europe/Berln", "+25:00",
	} {
		alone, err := when.LoadZone(name)
		m, atEnd := when.Parse("1 jul 2027 9am "+name, now, time.UTC)
		switch {
		case (err == nil) != (atEnd == nil):
			t.Errorf("%s: %v, and at the end of a time: %v", name, err, atEnd)
		case err == nil && m.Time.Location().String() != alone.String():
			t.Errorf("%s is %s, and at the end of a time %s", name, alone, m.Time.Location())
		}
	}
}
