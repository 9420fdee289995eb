// What a program does that knows the daemon by its OpenAPI document only: with
// types that openapi-typescript makes of it as schema.d.ts, it creates, schedules
// and cancels a post. It fails at the first answer that is not as expected, and
// prints the id of the post.
//
// usage: node scenario.js URL KEY
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

type Post = components["schemas"]["Post"];
type Code = components["schemas"]["Error"]["code"];

const [, , baseUrl = "", key = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

// taken returns what an answer holds, or throws what it was refused with.
function taken<T>(answer: { data?: T; error?: unknown; response: Response }): T {
	if (answer.data === undefined) {
		throw new Error(`${answer.response.status} ${JSON.stringify(answer.error)}`);
	}
	return answer.data;
}

function expect<T>(what: string, got: T, want: T): void {
	if (got !== want) {
		throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
	}
}

const account = taken(await client.POST("/api/v1/social-accounts", { body: { platform: "feed", name: "typescript" } })).social_account;
expect("account", account.status, "connected");

// Sent twice, as after a lost answer: it is one post.
const create = () => client.POST("/api/v1/posts", {
	params: { header: { "Idempotency-Key": "create-once" } },
	body: { content: "Written in TypeScript", social_account_ids: [account.id] },
});
const draft: Post = taken(await create()).post;
expect("repeated", taken(await create()).post.id, draft.id);
expect("draft", draft.status, "draft");
expect("publish_at of a draft", draft.publish_at, null);

const id = draft.id;
const publishAt = new Date(Date.now() + 3_600_000).toISOString();
const scheduling = await client.POST("/api/v1/posts/{id}/schedule", {
	params: { path: { id }, header: { "If-Match": `"${draft.version}"` } },
	body: { publish_at: publishAt },
});
expect("scheduled", taken(scheduling).post.status, "scheduled");
expect("publish_at", new Date(taken(scheduling).post.publish_at ?? "").toISOString(), publishAt);
expect("ETag", scheduling.response.headers.get("ETag"), `"${taken(scheduling).post.version}"`);

const list = async (status: Post["status"][]) => taken(await client.GET("/api/v1/posts", {
	params: { query: { status, social_account_id: account.id, publish_after: publishAt, sort: "-publish_at", limit: 10 } },
}));
expect("scheduled posts", (await list(["draft", "scheduled"])).results.map((p) => p.id).join(), id);
expect("drafts", (await list(["draft"])).count, 0);

const canceled = taken(await client.POST("/api/v1/posts/{id}/cancel", { params: { path: { id } } })).post;
expect("canceled", canceled.status, "canceled");
expect("its target", canceled.targets[0]?.status, "canceled");

// A refusal has a code of a known set.
const again = await client.POST("/api/v1/posts/{id}/cancel", { params: { path: { id } } });
expect<Code | undefined>("canceled again", again.error?.error.code, "POST_NOT_CANCELABLE");
expect("its status", again.response.status, 409);
// @ts-expect-error: this is no code
const none: Code = "NO_SUCH_CODE";

// What the daemon would refuse does not compile.
// @ts-expect-error: the field is publish_at
const body: components["schemas"]["CreatePost"] = { content: "soon", publish_ta: publishAt };
const misspelt = await client.POST("/api/v1/posts", { body });
expect<Code | undefined>(`misspelt, and ${none}`, misspelt.error?.error.code, "VALIDATION_FAILED");
// A post without content needs media, which the types do not say.
const empty = await client.POST("/api/v1/posts", { body: {} });
expect<Code | undefined>("without content", empty.error?.error.code, "VALIDATION_FAILED");

console.log(id);
