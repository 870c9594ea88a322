import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { contextKeys } from "../infra/config.ts";
import { readStartSettings } from "../infra/local/start/start-settings.ts";
import { allRoutes } from "../shared/api/routes.ts";

const root = join(import.meta.dirname, "..");
const pages = globSync(["*.md", "docs/**/*.{md,yml}"], { cwd: root }).sort();
const { scripts, ...packages }: { scripts: Record<string, string> } & Record<string, Record<string, string>> =
  JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const textOf = (page: string) => readFileSync(join(root, page), "utf8");

/** The anchors that GitHub gives to the headings of a page: https://github.com/gjtorikian/html-pipeline */
const sectionsOf = (page: string): Set<string> => {
  const headings = textOf(page)
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
};

describe.each(pages)("%s", (page) => {
  it("names only files that exist", () => {
    const named = textOf(page).matchAll(/(?<![\w./-])(?:functions|shared|infra|test)\/[\w./-]+\.(?:tsx?|mjs|json)/g);
    expect([...new Set([...named].map(([path]) => path))].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("names only commands of package.json", () => {
    const named = [...textOf(page).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("names only context keys that infra/config.ts knows", () => {
    const keys = [...textOf(page).matchAll(/--context ([A-Za-z_]+)=/g)].map(([, key = ""]) => key);
    expect(keys.filter((key) => !contextKeys.includes(key))).toEqual([]);
  });

  it("links only to sections that exist", () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
    const missing = links.filter(([, target = "", section = ""]) => {
      const file = target === "" ? page : join(dirname(page), target);
      return existsSync(join(root, file)) && !sectionsOf(file).has(section);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  it("links only to files that exist", () => {
    const links = textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g);
    const targets = [...links].map(([, target = ""]) => target);
    expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });
});

describe("docs/threat-model.md", () => {
  const [, threats = ""] = textOf("docs/threat-model.md").split("\n## Threats\n");
  const rows = threats
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| Threat |"))
    .map((row) => row.split("|").slice(1, -1));

  it.each(rows)("names a defence and its default test against %s", (_threat, defence = "", tests = "") => {
    expect(defence.trim()).not.toBe("");
    // Deep tests alone would leave the rule unwatched between two runs of them.
    expect(tests.replaceAll(/`[^`]+\.deep\.test\.ts`/g, "")).toMatch(/`test\/[\w./-]+\.test\.ts`/);
  });
});

describe("docs/controls.md", () => {
  const text = textOf("docs/controls.md");
  const known = new Set(allRoutes.map(([, { method, path }]) => `${method} ${path}`));

  it("names only endpoints that exist", () => {
    const named = [...text.matchAll(/`(GET|POST|PUT|DELETE) I(\/[^`?]+)/g)];
    const missing = named.filter(([, method, path]) => !known.has(`${method} /api/integrations/provider${path}`));
    expect(named.length).toBeGreaterThan(10);
    expect(missing.map(([all]) => all)).toEqual([]);
  });

  it("gives each control a proof, and says what is the customer's own", () => {
    const rows = text.split("\n").filter((line) => /^\| (?!Control|Article|-)/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    for (const [, control, , proof = "", own = ""] of rows.map((row) => row.split("|")))
      expect({ control, isProved: /`|\]\(|as there/.test(proof), own: own.trim() !== "" }).toEqual({
        control,
        isProved: true,
        own: true,
      });
  });
});

describe("docs/README.md", () => {
  it("lists each page of docs/ once", () => {
    const listed = [...textOf("docs/README.md").matchAll(/^\| \[[^\]]+\]\(([\w.-]+\.md)\) \|/gm)];
    const pagesOfDocs = globSync("docs/*.md", { cwd: root }).map((page) => page.replace("docs/", ""));
    expect(listed.map(([, page]) => page).sort()).toEqual(pagesOfDocs.filter((page) => page !== "README.md").sort());
  });

  it.each(globSync("docs/*.md", { cwd: root }))("leads to pages that first say who should read them: %s", (page) => {
    expect(textOf(page)).toMatch(/^# .+\n\nFor /);
  });
});

/** The names in backticks in the first column of the table with a header. */
const namesOf = (page: string, header: string): string[] => {
  const [, table = ""] = textOf(page).split(`| ${header} |`);
  const rows = (table.split("\n\n")[0] ?? "").split("\n").slice(2);
  return rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
};

describe("README.md", () => {
  it("has at most 200 lines, and light pictures", () => {
    expect(textOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(200);
    const pictures = [...textOf("README.md").matchAll(/<img src="([^"]+)"/g)].map(([, picture = ""]) => picture);
    expect(pictures).toHaveLength(3);
    for (const picture of pictures) expect(statSync(join(root, picture)).size).toBeLessThan(200_000);
  });
});

describe("the tables of settings and packages", () => {
  it("have all context keys in docs/deployment.md", () => {
    expect(namesOf("docs/deployment.md", "Context key").sort()).toEqual([...contextKeys].sort());
  });

  it("have all environment variables of npm start in docs/local-cloud.md", () => {
    const read = new Set<string>();
    const variables = new Proxy({}, { get: (_, name) => void read.add(String(name)) });
    readStartSettings(variables, root);
    expect(namesOf("docs/local-cloud.md", "Variable").sort()).toEqual([...read].sort());
  });

  it("have all packages in the README", () => {
    const { dependencies, devDependencies, optionalDependencies } = packages;
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(namesOf("README.md", "Package").sort()).toEqual(names.sort());
  });
});
