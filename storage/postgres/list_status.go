package postgres

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// archivedPrefix starts the status of archived posts in the columns that lists select by.
const archivedPrefix = "archived "

// listStatus returns the status of a post as lists select by it.
func listStatus(p *schedctl.Post) string {
	if p.ArchivedAt.IsZero() {
		return string(p.Status())
	}
	return archivedPrefix + string(p.Status())
}

// listStatuses returns the values of listStatus that a query selects; without statuses, those
// of all. Only posts whose work is over can be archived.
func listStatuses(statuses []schedctl.Status, archived storage.Archived) (list []string) {
	for _, s := range schedctl.Statuses() {
		if len(statuses) > 0 && !slices.Contains(statuses, s) {
			continue
		}
		if archived.Selects(false) {
			list = append(list, string(s))
		}
		if archived.Selects(true) && schedctl.CheckOperation(schedctl.OpArchive, s) == nil {
			list = append(list, archivedPrefix+string(s))
		}
	}
	return list
}
