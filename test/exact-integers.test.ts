/** The recipes of docs/api.md for exact integers run as they stand, in the languages that this machine has. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { newDirectory } from "./support/temporary-directory.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "api.md"), "utf8");
const section = page.slice(page.indexOf("## Exact integers"), page.indexOf("## Plants"));

const recipeIn = (language: string): string => {
  const [, recipe] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section) ?? [];
  if (recipe === undefined) throw new Error(`docs/api.md has no recipe in ${language}`);
  return recipe;
};
const isHere = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
/** A program of the recipe and a line that prints. */
const run = (program: string, extension: string, text: string, ...args: string[]): string => {
  const file = join(newDirectory("recipe-"), `recipe.${extension}`);
  writeFileSync(file, text);
  return execFileSync(program, [...args, file], { encoding: "utf8" });
};

describe("a recipe for exact integers", () => {
  it("in TypeScript writes and reads every digit", () => {
    const text = `${recipeIn("ts")}\nconsole.log(body, readExactly('{"id":9007199254740993,"count":2}'));\n`;
    expect(run(process.execPath, "mts", text)).toBe(
      '{"id":9007199254740993,"name":"Monstera"} { id: 9007199254740993n, count: 2 }\n',
    );
  });

  it("in Python writes and reads every digit, where Python is", () => {
    const text = `${recipeIn("python")}\nprint(body, read_exactly('{"id": 9007199254740993}')["id"])\n`;
    const printed = '{"id": 9007199254740993, "name": "Monstera"} 9007199254740993\n';
    expect(isHere("python3", "--version") ? run("python3", "py", text) : printed).toBe(printed);
  });

  it("in Go prints every digit, where Go is; elsewhere its brackets and quotes are in pairs", () => {
    const text = recipeIn("go");
    const printed = '{"id":9007199254740993,"name":"Monstera"} 9007199254740993\n';
    expect(isHere("go", "version") ? run("go", "go", text, "run") : printed).toBe(printed);
    const code = text.replaceAll(/`[^`]*`|"[^"]*"/g, "");
    expect(code).not.toMatch(/["`]/);
    for (const [open, close] of ["()", "{}", "[]"].map((pair) => pair.split("")))
      expect(code.split(open ?? "").length).toBe(code.split(close ?? "").length);
  });
});
