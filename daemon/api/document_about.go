package api

// documentAbout says, in Markdown, what is true of all operations, so that none
// has to repeat it.
const documentAbout = `Schedule posts and publish them to social networks.

**Keys.** Every call below /api/v1 carries ` + "`Authorization: Bearer <API key>`" + `. The first start of the daemon writes a key to admin.key in its data directory.

**Times** are RFC 3339 in UTC, with milliseconds where there are any. Ids are opaque texts.

**Refusals** are an error envelope. Its ` + "`code`" + ` is for programs and never changes its meaning, its ` + "`message`" + ` is for people and says what to do next. Its ` + "`details`" + ` name at most 20 wrong fields of a body; a last entry without a field says how many more there are.
Every answer has an ` + "`X-Request-Id`" + `, which the log of the daemon has too; a call may bring its own, 1 to 128 visible ASCII characters.

**Methods.** HEAD is answered wherever GET is, with the same status and header and without a body.
Any other method that a path does not take is 405 METHOD_NOT_ALLOWED, with the methods it takes in ` + "`Allow`" + `; an unknown path is 404 NOT_FOUND.

**Media types.** A call whose ` + "`Accept`" + ` does not take what the operation answers with is 406 NOT_ACCEPTABLE.
A body that is not JSON in UTF-8 by its ` + "`Content-Type`" + ` is 415 UNSUPPORTED_MEDIA_TYPE, and one of more than 1 MiB is 413 BODY_TOO_LARGE.
Unknown fields and unknown query parameters are refused with 400, and so are names that appear twice in an object, objects and lists more than 32 deep, and options or credentials of more than 64 KiB.

**Repeating.** With an ` + "`Idempotency-Key`" + `, a POST, PATCH or DELETE that changes something can be repeated for 24 hours: the same Idempotency-Key with the same body, from the same API key, is answered with what the first call was answered, and ` + "`Idempotent-Replayed: true`" + `; nothing is done twice. With another body, or from another API key, it is refused with ` + "`409 IDEMPOTENCY_KEY_REUSED`" + `.

**Limits.** Where the daemon limits how often an API key may call, answers say in ` + "`X-RateLimit-Limit`" + ` how many calls it may make at once, in ` + "`X-RateLimit-Remaining`" + ` how many of them are left, and in ` + "`X-RateLimit-Reset`" + ` when all are there again, in seconds since 1970 UTC.
An API key may run only a few long requests at once, such as searches and validations; another one waits for a second, and is then refused too. A call too many is 429 RATE_LIMITED with ` + "`Retry-After`" + ` and has no effect. So are, limit or not, calls without a valid key after 20 of them from one address.

**Versions.** An answer with one post carries its version as ` + "`ETag`" + `. A change that is sent with it in ` + "`If-Match`" + ` is refused with 412 VERSION_MISMATCH when the post has changed meanwhile; ` + "`*`" + ` matches any version. ` + "`GET /posts/{id}`" + ` with ` + "`If-None-Match`" + ` gets 304 without a body when the post has not changed.

**Later versions** of the daemon may add operations, optional parameters, properties, error codes and values of enumerations in answers. Clients pass over what they do not know. Nothing that is here is taken away or changes its meaning below /api/v1.
`
