import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const root = join(import.meta.dirname, "..");
const pages = ["README.md", ...globSync("docs/*.md", { cwd: root })].sort();
const textOf = (page: string) => readFileSync(join(root, page), "utf8");

describe.each(pages)("%s", (page) => {
  it("names only files that exist", () => {
    const named = textOf(page).matchAll(/(?<![\w./-])(?:functions|shared|infra|test)\/[\w./-]+\.(?:ts|mjs|json)/g);
    expect([...new Set([...named].map(([path]) => path))].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("links only to files that exist", () => {
    const links = textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g);
    const targets = [...links].map(([, target = ""]) => target);
    expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });
});
