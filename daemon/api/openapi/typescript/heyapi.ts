// What a program writes that knows the daemon by its OpenAPI document only, with the client
// that Hey API makes of it in the folder client. It is compiled and not run.
import { createPost, streamEvents } from "./client";
import { createClient } from "./client/client";
import type { Post } from "./client";

const client = createClient({ baseUrl: "http://127.0.0.1:8080", auth: "an API key" });

export async function schedule(account: string, at: Date): Promise<Post> {
	const { data, error } = await createPost({
		client,
		body: { content: "Written in TypeScript", social_account_ids: [account], publish_at: at.toISOString() },
		headers: { "Idempotency-Key": "create-once" },
	});
	if (!data) throw new Error(error.error.message);
	return data.post;
}

export async function watch(): Promise<void> {
	const { stream } = await streamEvents({ client });
	for await (const event of stream) {
		console.log(event.type, event.data.post_id);
	}
}
