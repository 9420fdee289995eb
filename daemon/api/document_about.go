package api

// documentAbout describes, in Markdown, what all operations have in common.
const documentAbout = `Schedule posts and publish them to social networks.

**Keys.** Every request below /api/v1 needs ` + "`Authorization: Bearer <API key>`" + `. The first start of the daemon writes a key to admin.key in its data directory.

**Times** are RFC 3339 in UTC, with milliseconds only if they are not zero. Ids are opaque strings.

**Errors** have an envelope. Its ` + "`code`" + ` is for programs and never changes its meaning. Its ` + "`message`" + ` is for people and says what went wrong and what to do. Its ` + "`details`" + ` name at most 20 invalid fields; a last entry without a field gives the number of the others.
Every response has an ` + "`X-Request-Id`" + `, which is also in the log of the daemon. A request may bring its own, 1 to 128 visible ASCII characters.

**Methods.** HEAD works wherever GET does, with the same status and headers and without a body.
Any other method that a path does not support is 405 METHOD_NOT_ALLOWED, with the supported methods in ` + "`Allow`" + `; an unknown path is 404 NOT_FOUND.

**Media types.** A request whose ` + "`Accept`" + ` excludes the media type of the response is 406 NOT_ACCEPTABLE.
A body whose ` + "`Content-Type`" + ` is not JSON in UTF-8 is 415 UNSUPPORTED_MEDIA_TYPE, and a body of more than 1 MiB is 413 BODY_TOO_LARGE.
Unknown fields and query parameters are refused with 400. So are repeated names in an object, more than 32 levels of nesting, and options or credentials of more than 64 KiB.

**Repeating requests.** With an ` + "`Idempotency-Key`" + `, a POST, PATCH or DELETE that changes something can be repeated for 24 hours. The same key with the same body, from the same API key, returns the first response again, with ` + "`Idempotent-Replayed: true`" + `, and has no further effect. With another body, or from another API key, it is refused with ` + "`409 IDEMPOTENCY_KEY_REUSED`" + `.

**Rate limits.** If the daemon limits API keys, ` + "`X-RateLimit-Limit`" + ` is the number of requests that a key can make at once, ` + "`X-RateLimit-Remaining`" + ` is the number left, and ` + "`X-RateLimit-Reset`" + ` is the time at which all are available again, in seconds since 1970 UTC.
An API key can run only a few long requests at once, such as searches and validations; further ones wait for a second and are then refused. A request over a limit is 429 RATE_LIMITED with ` + "`Retry-After`" + ` and has no effect. After 20 requests without a valid key, further ones from the same address get this error too, even without a configured limit.

**Versions.** A response with one post, series, queue or blackout carries its version as ` + "`ETag`" + `. A change that sends it in ` + "`If-Match`" + ` is refused with 412 VERSION_MISMATCH if the object has changed since; ` + "`*`" + ` matches any version. Approving and asking for changes need it: without it, or with ` + "`*`" + `, they are refused with 428 VERSION_REQUIRED. ` + "`GET /posts/{id}`" + ` and ` + "`GET /series/{id}`" + ` with ` + "`If-None-Match`" + ` return 304 without a body if nothing has changed.

**Later versions** of the daemon may add operations, optional parameters, properties, error codes and enumeration values in responses. Clients must ignore unknown fields. Nothing below /api/v1 is removed or changes its meaning.
`
