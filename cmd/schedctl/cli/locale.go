package cli

import "cmp"

// ASCII reports whether the locale of the environment is that of ASCII.
func (a *App) ASCII() bool {
	return asciiLocale(a.Getenv("LC_ALL"), a.Getenv("LC_CTYPE"), a.Getenv("LANG"))
}

// asciiLocale reports whether a locale is that of ASCII. The first setting that is not empty
// decides.
func asciiLocale(settings ...string) bool {
	locale := cmp.Or(settings...)
	return locale == "C" || locale == "POSIX"
}
