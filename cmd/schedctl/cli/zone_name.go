package cli

import (
	"os"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/when"
)

// ZoneName returns the IANA name of a zone, which the API needs for local times that
// it stores. Go does not know the name of the local zone unless TZ has it, so the name
// comes from the settings of the system. If they do not name it, the error asks for --tz.
func (a *App) ZoneName(loc *time.Location) (string, error) {
	name := loc.String()
	if err := when.CheckZone(loc); err != nil {
		return "", err
	}
	if name != "Local" && !strings.HasPrefix(name, "/") {
		if _, err := time.LoadLocation(name); err != nil { // an offset
			return "", UsageError("the daemon stores time zones by their names, and %s is an offset without one", name).WithHint("give the zone, such as --tz Europe/Berlin")
		}
		return name, nil
	}
	link, _ := os.Readlink("/etc/localtime")
	text, _ := os.ReadFile("/etc/timezone")
	if name = zoneOfSystem(link, string(text)); name == "" {
		return "", UsageError("the name of the local time zone is unknown").WithHint("give it with --tz, such as --tz Europe/Berlin")
	}
	return name, nil
}

// zoneOfSystem returns the zone that the target of /etc/localtime or the text of
// /etc/timezone names, or an empty string.
func zoneOfSystem(link, text string) string {
	_, fromLink, _ := strings.Cut(link, "zoneinfo/")
	for _, name := range []string{fromLink, strings.TrimSpace(text)} {
		if name == "" || name == "Local" {
			continue
		}
		if _, err := time.LoadLocation(name); err == nil {
			return name
		}
	}
	return ""
}
