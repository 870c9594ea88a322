import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { usePerFile } from "../../../support/use-started.ts";
import { createFixture } from "./simulator-fixture.ts";

const execFileAsync = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");

const fixture = usePerFile(createFixture);

it("the snippet of docs/provider-simulator.md runs against the simulator, once for its key", async () => {
  const page = readFileSync(join(root, "docs", "provider-simulator.md"), "utf8");
  const [, script = ""] = /--input-type=module <<'EOF'\n([\s\S]*?)\nEOF\n/.exec(page) ?? [];
  const checkout = newDirectory("snippet-");
  try {
    mkdirSync(join(checkout, ".local"));
    writeFileSync(join(checkout, ".local", "stack.json"), JSON.stringify({ providerUrl: fixture.simulator.url }));
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
    writeFileSync(join(checkout, "snippet.mjs"), script);
    const run = () => execFileAsync(process.execPath, ["snippet.mjs"], { cwd: checkout });
    expect((await run()).stdout).toBe("card_declined paid\n");
    expect((await run()).stdout).toBe("card_declined paid\n");
    expect((await fixture.sdk().customers.list({ email: "ada@example.com" })).data).toHaveLength(1);
  } finally {
  }
});
