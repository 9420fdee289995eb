package cli

// Map returns f of each value of a list, in order and never nil.
func Map[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// PrintList prints a list of objects: as JSON, with -q as ids, else as a table with
// the given layout and a row for each object.
func PrintList[T any](a *App, list []T, id func(T) string, layout Table, row func(T) []string) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(append([]T{}, list...))
	case a.Quiet:
		return a.PrintIDs(Map(list, id)...)
	}
	layout.Rows = Map(list, row)
	return a.WriteList(a.RenderTable(layout))
}

// PrintOne prints an object that a command has made or changed: on a terminal as a
// sentence, as JSON, and else with list.
func PrintOne[T any](a *App, object T, sentence string, list func(*App, ...T) error) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(object)
	case a.Quiet || !a.OutTerminal:
		return list(a, object)
	}
	return a.Linef("%s", sentence)
}

// PrintObject prints one object: as JSON, with -q as its id, else as properties.
func (a *App) PrintObject(object any, id string, properties []Property) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(object)
	case a.Quiet:
		return a.PrintIDs(id)
	}
	return a.Write(a.RenderProperties(properties))
}

// PrintRemoval prints the result of a command that removes an object.
func (a *App) PrintRemoval(id, done string) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(Removal{ID: id, Deleted: true})
	case a.OutTerminal && !a.Quiet:
		return a.Linef("%s %s", done, id)
	}
	return a.PrintIDs(id)
}

// Removal is the --json output for a removed object.
type Removal struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}
