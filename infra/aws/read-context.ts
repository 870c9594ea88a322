/** The context of a deployment as the CDK's command line reads it: cdk.json, cdk.context.json, then the arguments. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

type Context = Readonly<Record<string, unknown>>;

const readJson = (file: string): Context => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});

/**
 * @param directory of the app.
 * @param given `key=value`, as after `--context`.
 * @throws Error if one has no `=`
 */
export const readContext = (directory: string, given: readonly string[]): Context => {
  const entries = given.map((text) => {
    const end = text.indexOf("=");
    if (end <= 0) throw new Error(`--context expects key=value, not ${text}`);
    return [text.slice(0, end), text.slice(end + 1)] as const;
  });
  const files = [join(homedir(), ".cdk.json"), join(directory, "cdk.json")].map(
    (file) => readJson(file).context as Context,
  );
  return Object.assign({}, ...files, readJson(join(directory, "cdk.context.json")), Object.fromEntries(entries));
};
