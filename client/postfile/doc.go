// Package postfile reads and writes posts and series that are kept in files: one Markdown
// file per post with YAML front matter, JSON Lines, and CSV. All three are read as a
// [Document]: a request of the API, with the names that people write, and with a position
// for each field.
//
// # Post files
//
//	---
//	id: launch
//	title: Version 1.0
//	at: 2026-12-08 09:00
//	tz: Europe/Berlin
//	to: [blog, "mastodon:me"]
//	labels: [release]
//	thread: true
//	media: [{file: images/door.png, alt: "A red door"}]
//	part_media: {2: [{file: images/garden.png, alt: "A garden"}]}
//	first_comment: Questions? Ask here.
//	poll: {options: [Tea, Coffee], for: 1d, multiple: true}
//	content_warning: Hot drinks
//	visibility: unlisted
//	language: en
//	link_preview: {url: https://example.org, title: Release notes, image: images/card.png}
//	override:
//	  mastodon:me: Version 1.0 is out!
//	  blog: {thread: [All about it, {content: A garden, media: []}], poll: none, visibility: public}
//	options:
//	  mastodon:me: {visibility: unlisted}
//	---
//	Version 1.0 is out. Read all about it.
//	---
//	This is the second part of the thread.
//
// In place of at, queue names the queue whose next free slot the post takes, and not_before
// the earliest time of that slot. With repeat, the file is a series: a recurring post. start is
// the earliest local time of its first occurrence, and name is its name. variants are texts
// that replace the text in turns, exdates are local times that the series leaves out, and
// ahead_days says how early its posts are made.
//
// id is the author's own name for the post. It stays the same when the file is
// moved or its text changes. One empty line after the front matter and one line
// break at the end of the file are not part of the text. Line ends of Windows
// are read as "\n".
//
// media lists the pictures, videos and documents of the post with their alt texts. Paths
// are relative to the post file, use slashes, and stay inside the directory. part_media
// lists those of further parts by their numbers; part 2 is the first of them.
//
// With thread: true, the text is split at its lines ---. A line \--- is such a line of the
// post itself. first_comment is a text, or the keys content and media. link_preview is
// auto, none, or a card.
//
// An override is the text for one account, or some of the keys content, media, thread,
// poll, content_warning, visibility and language. thread is the list of the parts after the
// first one. Empty lists, and poll: none, mean that the account gets none.
//
// The file [ConfigName] in the directory names the collection of its posts. It can also
// list queues and blackouts:
//
//	collection: website
//	queues:
//	  - name: main
//	    tz: Europe/Berlin
//	    slots: [mon-fri 09:00, "sat, sun 10:00"]
//	    accounts: [blog]
//	    gap: 30m
//	    default: true
//	blackouts:
//	  - reason: Christmas
//	    from: 2026-12-24 00:00
//	    to: 2026-12-27 00:00
//	    tz: Europe/Berlin
//	    accounts: [blog]
//	    mode: hold
//
// # Rows
//
// A [Reader] reads CSV and JSON Lines, and a [Writer] writes them. In CSV the first line names
// the columns that a file has, in any order; in JSON Lines each line is an object with these
// keys:
//
//	id,content,to,at,tz                 {"content":"Hello","to":["blog","mastodon:me"],
//	,"Hello, world",blog,2027-01-01 9:00,Europe/Berlin      "at":"2027-01-01 9:00"}
//
// A row has the keys of front matter, with these differences. content is the text. media,
// alt and poll are lists: of paths or ids, of the alt texts of media in their order, and of
// options. The settings of the poll are poll_for, poll_multiple and poll_hide_totals.
// proposed_at is the time that a draft shall have after its approval. thread has the parts
// after the first one: in CSV a text in which lines with --- separate them (see package
// threadtext), in JSON Lines a list of texts or of objects with the keys content, media and
// alt. Only JSON Lines have media of parts, a card in link_preview, and overrides: a list of
// objects with the account in "to" and the keys of an override.
//
// In CSV, values of lists are separated by semicolons; \; stands for a semicolon and \ for a
// backslash, except in "to". Readers also take text, body and message for content, account
// and accounts for to, time, date and publish_at for at, and timezone for tz.
//
// # Limits
//
// Unknown and duplicate keys, anchors, aliases and tags are problems. So are a post file or a
// row of more than 1 MiB and front matter of more than 64 KiB. A file may have any number of
// rows. A [Problem] names the file and the line, and an [Error] the line of a row.
package postfile
