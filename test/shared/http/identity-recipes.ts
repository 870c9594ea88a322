/** The recipes of docs/identity.md, read from the page. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseContext } from "../../../infra/config.ts";
import type { describeCaller } from "../../../shared/settings/caller-access.ts";

export type CallerAccess = ReturnType<typeof describeCaller>;

export type Recipe = {
  provider: string;
  context: Record<string, string>;
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  /** The answer of GET …/me. */
  answer: CallerAccess;
};

const page = readFileSync(join(import.meta.dirname, "../../../docs/identity.md"), "utf8");

/** The code blocks of a language, in order. */
const blocksOf = (section: string, language: string): string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);

/** The context keys of a shell command; values may be in single quotes. */
const contextOf = (command: string): Record<string, string> =>
  Object.fromEntries(
    [...command.matchAll(/--context (\w+)=(?:'([^']*)'|(\S+))/g)].map(([, key, quoted, plain]) => [
      key,
      quoted ?? plain,
    ]),
  );

const recipeOf = (section: string): Recipe => {
  const [command = ""] = blocksOf(section, "sh");
  const [header, payload, answer] = blocksOf(section, "json").map((block) => JSON.parse(block));
  return { provider: section.slice(0, section.indexOf("\n")), context: contextOf(command), header, payload, answer };
};

export const recipes: Recipe[] = page
  .slice(page.indexOf("\n## Recipes"), page.indexOf("\n## Limits"))
  .split("\n### ")
  .slice(1)
  .map(recipeOf);

/** The refusals in the page's table of answers. */
export const quotedRefusals: string[] = [...page.matchAll(/^\| (40[13][^|]*)\|/gm)].flatMap(([, answer = ""]) =>
  [...answer.matchAll(/`([^`]+)`/g)].map(([, quote = ""]) => quote),
);

/** The part of a deployment's configuration that tokens are checked with. */
export const configOf = (context: Readonly<Record<string, string | undefined>>) => {
  const { issuer, audience, organizationClaim, roleClaim, roleMapping } = parseContext(context);
  return {
    issuer,
    audience,
    claims: { organization: organizationClaim, role: roleClaim, roleMapping: roleMapping ?? {} },
  };
};
