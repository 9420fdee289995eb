package cli

import "cmp"

// CIRun returns the parts that identify the CI run of this process, nil outside CI.
// They stay the same when all or only the failed jobs of the run are repeated, on any
// machine, and differ between runs.
//
// Forgejo and Gitea set the variables of GitHub in addition to their own. Variables
// that change when a run is repeated, such as GITHUB_RUN_ATTEMPT and CI_JOB_ID, are
// left out.
func (a *App) CIRun() []string {
	switch {
	case a.Getenv("GITHUB_ACTIONS") == "true" || a.Getenv("FORGEJO_ACTIONS") == "true" || a.Getenv("GITEA_ACTIONS") == "true":
		return ciRunParts("actions",
			cmp.Or(a.Getenv("GITHUB_SERVER_URL"), a.Getenv("FORGEJO_SERVER_URL")),
			cmp.Or(a.Getenv("GITHUB_REPOSITORY"), a.Getenv("FORGEJO_REPOSITORY")),
			cmp.Or(a.Getenv("GITHUB_WORKFLOW"), a.Getenv("FORGEJO_WORKFLOW")),
			cmp.Or(a.Getenv("GITHUB_JOB"), a.Getenv("FORGEJO_JOB")),
			cmp.Or(a.Getenv("GITHUB_RUN_ID"), a.Getenv("FORGEJO_RUN_ID")),
		)
	case a.Getenv("GITLAB_CI") == "true":
		return ciRunParts("gitlab",
			a.Getenv("CI_SERVER_URL"), a.Getenv("CI_PROJECT_PATH"),
			a.Getenv("CI_JOB_NAME"), a.Getenv("CI_NODE_INDEX"), // each of parallel jobs has its own
			a.Getenv("CI_PIPELINE_ID"),
		)
	}
	return nil
}

// ciRunParts returns the parts, nil when the last one is empty: without its id a run
// could be mistaken for a different run.
func ciRunParts(parts ...string) []string {
	if parts[len(parts)-1] == "" {
		return nil
	}
	return parts
}
