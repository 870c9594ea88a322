import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { metafilePath } from "../../../../infra/build.ts";
import { createImportGraph } from "../../../../infra/local/reload/import-graph.ts";
import { changedFiles, readSourceFiles } from "../../../../infra/local/reload/source-files.ts";

const root = `${import.meta.dirname}/../../../..`;

describe("a change of the console's sources", () => {
  const sources = ["main.tsx", "index.html", "styles/main.css"].map((file) => `functions/console/app/${file}`);

  it.each(sources)("%s bundles the two functions of the page again, and no other", (file) => {
    const graph = createImportGraph(JSON.parse(readFileSync(metafilePath, "utf8")));
    expect([...graph.importersOf([file])].sort()).toEqual(["get-console", "get-console-asset"]);
  });

  it("is noticed, whatever the kind of file", () => {
    const changed = changedFiles({ states: new Map(), folders: [] }, readSourceFiles(root));
    expect(changed).toEqual(expect.arrayContaining(sources));
  });
});
