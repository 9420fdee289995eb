// Counts what a model reads: tokens.mjs FILE writes the number of tokens of each line.
import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

for (const line of readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
	console.log(encode(line).length);
}
