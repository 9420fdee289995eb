package main

// Groups of fields.
const (
	setByDaemon   = "id workspace_id media_assets status targets target_summary slot series_id occurrence detached approval archived_at resend_of resent_as source_id source_item_id version created_at updated_at " + authors
	authors       = "created_by.id created_by.name created_by.kind updated_by.id updated_by.name updated_by.kind"
	derived       = "workspace_id media_asset_ids media_assets target_summary "
	requestOnly   = "allow_blackout approved_by submit.note allow_duplicate replaces"
	aboutOthers   = "warnings proposed_also"
	managedFields = "managed.collection managed.path managed.digest managed.pruned"
	seriesOnly    = "name variants timezone start rule exdates ahead_days state next_at previous_id"

	noOthers     = "absent: the key and the accounts of the post are in use, and no other post proposes its time"
	ofTheRequest = "a setting of the request, which the daemon does not keep"
	columnsOnly  = "a list has the id, the state, the time, the accounts and the text"
)

// postTable: the surfaces that show a scheduled post.
var postTable = surfaceTable{
	surfaces: "api-request api-create api-get api-list client show show-json list mcp-get mcp-list export-csv export-jsonl export-files export-ics calendar-feed timeline webhook",
	marks: map[string]string{
		"show poll.multiple": "\npoll\t2d\ttrue\t", "show poll.hide_totals": "\npoll\t2d\ttrue\ttrue\t",
		"show series_id": "\nseries\t", "show approval": "\napproval\t", "show proposed_at": "\nproposed\t", "show archived_at": "\narchived\t", "show resend_of": "\nresend_of\t", "show resent_as": "\nresent_as\t", "show source_id": "\nsource\t", "show source_item_id": "\nsource_item\t", "show version": "\nversion\t1",
		"show created_at": "\ncreated_at\t2000", "show updated_at": "\nupdated_at\t2000", "show status": "\nstatus\tscheduled",
		"show created_by.name": "\ncreated_by\tadmin", "show updated_by.name": "\nupdated_by\tadmin",
		"show target_overrides[].visibility":    "\noverride.*unlisted",
		"show target_overrides[].poll.multiple": "\noverride_field.*\tpoll\t3d\ttrue", "show target_overrides[].poll.hide_totals": "\noverride_field.*\tpoll\t3d\ttrue\ttrue",
		"export-csv target_overrides[].social_account_id": "text:",
		"export-csv poll.multiple":                        ",2d,true,", "export-csv poll.hide_totals": ",2d,true,true,",
		"export-jsonl target_overrides[].poll.multiple": `own-poll.*"poll_multiple":true`, "export-jsonl target_overrides[].poll.hide_totals": `own-poll.*"poll_hide_totals":true`,
	},
	rules: []cellRule{
		{surfaces: "api-request", fields: setByDaemon, reason: "the daemon sets it"},
		{surfaces: "api-request", fields: "media_asset_ids proposed_at approved_by submit.note replaces", reason: "see apiv1test.LeftOutOfPost"},
		{surfaces: "*", fields: aboutOthers, reason: noOthers},
		{surfaces: "*", fields: requestOnly, reason: ofTheRequest},
		{surfaces: "show", fields: derived, reason: "repeats what other lines show"},
		{surfaces: "show", fields: "occurrence detached", reason: "shown in the line of the series"},
		{surfaces: "show", fields: "created_by.id created_by.kind updated_by.id updated_by.kind", reason: "the name says enough"},
		{surfaces: "show", fields: "managed.digest managed.pruned", reason: "for programs that manage posts"},
		{surfaces: "list", fields: "*", reason: columnsOnly},
		{surfaces: "export-csv", fields: "thread[].media[].* first_comment.media[].* link_preview.*", reported: "the media of further parts, or the card of a link, that 1"},
		{surfaces: "export-csv", fields: moreThanText, reported: "what single accounts get, apart from texts, of 1"},
		{surfaces: "export-csv export-jsonl export-files", fields: setByDaemon + " " + derived, reason: "the daemon sets it when it imports the post"},
		{surfaces: "export-csv export-jsonl export-files", fields: "proposed_at", reason: "of drafts; see the goldens of a draft"},
		{surfaces: "export-csv export-jsonl", fields: "external_id " + managedFields, reason: "the id of the line becomes the external id"},
		{surfaces: "export-files", fields: "external_id " + managedFields, reason: "follows from the id, the path and the content of the file"},
		{surfaces: "export-files export-csv export-jsonl", fields: "publish_at", reason: "the file has the queue instead"},
		{surfaces: "calendar-feed export-ics", fields: "*", reason: "an event has the time, the first words, the text of the first part and the accounts"},
		{surfaces: "timeline", fields: "*", reason: "a timeline has what happened, not the content"},
		{surfaces: "webhook", fields: "*", reason: "an event has the id of the post, which receivers read"},
	},
}

// moreThanText are the fields of overrides that CSV leaves out.
const moreThanText = "target_overrides[].media[].* target_overrides[].thread[].* target_overrides[].poll.* target_overrides[].options " +
	"target_overrides[].content_warning target_overrides[].visibility target_overrides[].language"

// publishedTable: what networks get.
var publishedTable = surfaceTable{
	surfaces: "http-hook http-own feed-atom feed-json",
	marks: map[string]string{
		"http-hook publish_at": `"publish_at": "2000-01-01T00:00:00Z"`, "http-own publish_at": `"publish_at": "2000-01-01T00:00:00Z"`,
		"http-hook social_account_ids": "acct_hook", "http-own social_account_ids": "acct_own",
		"http-own target_overrides[].poll.multiple": `"multiple": true`, "http-own target_overrides[].poll.hide_totals": `"hide_totals": true`,
		"feed-json version": `"version": 1`,
	},
	rules: []cellRule{
		{surfaces: "*", fields: "id workspace_id media_asset_ids media_assets status targets target_summary slot series_id occurrence detached approval proposed_at archived_at resend_of resent_as source_id source_item_id version created_at updated_at queue_id not_before publish_at " + requestOnly + " " + authors, reason: "not a part of the content"},
		{surfaces: "*", fields: aboutOthers, reason: noOthers},
		{surfaces: "*", fields: "title labels external_id post_style " + managedFields, reason: "for the users of the workspace, not for networks"},
		{surfaces: "http-own", fields: "content media[].* thread[].* poll.* content_warning visibility language", reason: "the account gets its override"},
		{surfaces: "*", fields: "target_overrides[].*", reason: "the override of another account"},
		{surfaces: "feed-*", fields: "poll.* visibility link_preview.*", reason: "feeds have no polls and no cards, and are public"},
	},
}

// postInputTable: the ways to make a post.
var postInputTable = surfaceTable{
	marks: map[string]string{
		"mcp-create publish_at": `"proposed_at": "2000-01-06T08:30:00Z"`, "mcp-edit publish_at": `"proposed_at": "2000-01-06T08:30:00Z"`,
		"target_overrides[].social_account_id": `"target_overrides": \[\s*\{\s*"social_account_id"`,
	},
	rules: []cellRule{
		{surfaces: "*", fields: requestOnly, reason: ofTheRequest},
		{surfaces: "cli-* import-* mcp-*", fields: managedFields, reason: "of posts that files control"},
		{surfaces: "cli-edit mcp-*", fields: "external_id", reason: "set when the post is made, by programs"},
		{surfaces: "import-csv import-update-csv", fields: "thread[].media[].* first_comment.media[].* link_preview.* target_overrides[].*", reason: "CSV has no column, and the export reports that"},
		{surfaces: "cli-* mcp-* import-*", fields: "target_overrides[].options", reason: "the accounts have no options of single posts"},
		{surfaces: "mcp-*", fields: "queue_id not_before", reason: "a person schedules the drafts of agents"},
		{surfaces: "apply", fields: "external_id managed.path", reason: "follows from the id and the path of the file"},
		{surfaces: "apply", fields: "managed.digest", reason: "computed from the content"},
	},
}

// seriesTable: the surfaces that show a series.
var seriesTable = surfaceTable{
	surfaces: "api-request api-create api-get client show show-json list mcp-list post export-csv export-jsonl export-files",
	marks: map[string]string{
		"external_id": "series-ext-8w", "managed.path": `series-path-4x\.md`,
		"show poll.multiple": "\npoll\t2d\ttrue\t", "show poll.hide_totals": "\npoll\t2d\ttrue\ttrue\t",
		"show target_overrides[].poll.multiple": "\noverride_field.*\tpoll\t3d\ttrue", "show target_overrides[].poll.hide_totals": "\noverride_field.*\tpoll\t3d\ttrue\ttrue",
		"show approval": "\napproval\t", "show next_at": "\nnext\t2000", "show previous_id": "\nprevious\t", "show version": "\nversion\t1",
		"show created_at": "\ncreated\t2000", "show updated_at": "\nupdated\t2000", "list next_at": "2000-01-04T08:30",
		"show created_by.name": "\ncreated_by\tadmin", "show updated_by.name": "\nupdated_by\tadmin",
		"export-csv target_overrides[].social_account_id": "text:",
		"export-files external_id":                        "^$", "export-files managed.path": "^$", "export-files rule": `repeat: "FREQ=WEEKLY;BYDAY=TU,TH at 08:15"`,
		"export-csv poll.multiple": ",2d,true,", "export-csv poll.hide_totals": ",2d,true,true,",
		"export-jsonl target_overrides[].poll.multiple": `own-poll.*"poll_multiple":true`, "export-jsonl target_overrides[].poll.hide_totals": `own-poll.*"poll_hide_totals":true`,
	},
	rules: []cellRule{
		{surfaces: "api-request", fields: setByDaemon + " state next_at previous_id media_asset_ids", reason: "the daemon sets it"},
		{surfaces: "show", fields: "workspace_id media_asset_ids", reason: "repeats what other lines show"},
		{surfaces: "show", fields: "created_by.id created_by.kind updated_by.id updated_by.kind", reason: "the name says enough"},
		{surfaces: "show", fields: "managed.digest managed.pruned", reason: "for programs that manage series"},
		{surfaces: "list", fields: "*", reason: columnsOnly},
		{surfaces: "post", fields: seriesOnly + " content external_id " + managedFields, reason: "of the series, not of its posts"},
		{surfaces: "export-csv", fields: "thread[].media[].* first_comment.media[].* link_preview.*", reported: "the media of further parts, or the card of a link, that 1"},
		{surfaces: "export-csv", fields: moreThanText, reported: "what single accounts get, apart from texts, of 1"},
		{surfaces: "export-*", fields: "id workspace_id media_asset_ids approval state next_at previous_id version created_at updated_at " + authors, reason: "the daemon sets it"},
		{surfaces: "export-csv export-jsonl", fields: "external_id " + managedFields, reason: "the id of the line becomes the external id"},
		{surfaces: "export-files", fields: "external_id " + managedFields, reason: "follows from the id, the path and the content of the file"},
	},
}

// seriesInputTable: the ways to make a series.
var seriesInputTable = surfaceTable{
	marks: map[string]string{"external_id": "series-ext-8w", "apply external_id": "collection-6p/series-name-2v", "apply managed.path": `series-name-2v\.md`, "managed.path": "^$"},
	rules: []cellRule{
		{surfaces: "import-csv", fields: "thread[].media[].* first_comment.media[].* link_preview.* target_overrides[].*", reason: "CSV has no column, and the export reports that"},
		{surfaces: "cli-* import-*", fields: managedFields, reason: "of series that files control"},
		{surfaces: "cli-edit", fields: "external_id", reason: "set when the series is made"},
		{surfaces: "cli-*", fields: "target_overrides[].options", reason: "the accounts have no options of single posts"},
		{surfaces: "apply", fields: "managed.digest", reason: "computed from the content"},
	},
}
