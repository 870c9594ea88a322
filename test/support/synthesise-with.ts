import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const APP = join(import.meta.dirname, "..", "..", "infra", "app.ts");

/**
 * Synthesises the service with context keys of its own, as the CDK's command line does: in another process, since
 * loading the CDK takes a test ten times as long. @returns the assembly's directory.
 */
export const synthesiseWith = (context: Readonly<Record<string, string>>): string => {
  const directory = mkdtempSync(join(tmpdir(), "assembly-"));
  const env = { ...process.env, CDK_OUTDIR: directory, CDK_CONTEXT_JSON: JSON.stringify(context) };
  execFileSync(process.execPath, [APP], { env, stdio: ["ignore", "ignore", "inherit"] });
  return directory;
};
