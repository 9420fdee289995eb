package main

import "cmp"

// ciRun returns the parts that identify the CI run of this process, nil outside CI.
// They stay the same when all or only the failed jobs of the run are repeated, on any
// machine, and differ between runs.
//
// Forgejo and Gitea set the variables of GitHub in addition to their own. Variables
// that change when a run is repeated, such as GITHUB_RUN_ATTEMPT and CI_JOB_ID, are
// left out.
func (a *app) ciRun() []string {
	switch {
	case a.getenv("GITHUB_ACTIONS") == "true" || a.getenv("FORGEJO_ACTIONS") == "true" || a.getenv("GITEA_ACTIONS") == "true":
		return named("actions",
			cmp.Or(a.getenv("GITHUB_SERVER_URL"), a.getenv("FORGEJO_SERVER_URL")),
			cmp.Or(a.getenv("GITHUB_REPOSITORY"), a.getenv("FORGEJO_REPOSITORY")),
			cmp.Or(a.getenv("GITHUB_WORKFLOW"), a.getenv("FORGEJO_WORKFLOW")),
			cmp.Or(a.getenv("GITHUB_JOB"), a.getenv("FORGEJO_JOB")),
			cmp.Or(a.getenv("GITHUB_RUN_ID"), a.getenv("FORGEJO_RUN_ID")),
		)
	case a.getenv("GITLAB_CI") == "true":
		return named("gitlab",
			a.getenv("CI_SERVER_URL"), a.getenv("CI_PROJECT_PATH"),
			a.getenv("CI_JOB_NAME"), a.getenv("CI_NODE_INDEX"), // each of parallel jobs has its own
			a.getenv("CI_PIPELINE_ID"),
		)
	}
	return nil
}

// named returns the parts, nil when the last one is empty: without its id a run
// could be mistaken for a different run.
func named(parts ...string) []string {
	if parts[len(parts)-1] == "" {
		return nil
	}
	return parts
}
