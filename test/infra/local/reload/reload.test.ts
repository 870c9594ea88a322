import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createBuildQueue } from "../../../../infra/local/reload/build-queue.ts";
import { createImportGraph } from "../../../../infra/local/reload/import-graph.ts";
import { describeDifference } from "../../../../infra/local/reload/infrastructure.ts";
import { readSourceFiles } from "../../../../infra/local/reload/source-files.ts";
import { type SourceWatch, watchSources } from "../../../../infra/local/reload/watch-sources.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

describe("the functions that a changed file affects", () => {
  const input = (...paths: string[]) => ({
    bytes: 1,
    imports: paths.map((path) => ({ path, kind: "import-statement" as const })),
  });
  const graph = createImportGraph({
    inputs: {
      "entry:functions/plants/create-plant.ts": input("functions/plants/create-plant.ts", "shared/runtime/prewarm.ts"),
      "functions/plants/create-plant.ts": input("shared/plants/plant.ts", "./refusals.cjs"),
      "entry:functions/sync/run-sync.ts": input("functions/sync/run-sync.ts", "shared/runtime/prewarm.ts"),
      "functions/sync/run-sync.ts": input("shared/sync/run.ts"),
      "shared/sync/run.ts": input("shared/plants/plant.ts"),
      "shared/wiring/refusals.ts": input("shared/security/recorder.ts"),
    },
  });
  it.each([
    ["its own file", "functions/plants/create-plant.ts", ["create-plant"]],
    ["a file that it imports through another", "shared/plants/plant.ts", ["create-plant", "run-sync"]],
    ["a file of a part that it loads on demand", "shared/security/recorder.ts", ["create-plant"]],
    ["a file that each bundle contains", "shared/runtime/prewarm.ts", ["create-plant", "run-sync"]],
    ["a file that no function imports", "shared/api/unused.ts", []],
  ])("are those that import %s", (_, file, names) => {
    expect([...graph.importersOf([file])].sort()).toEqual(names);
  });

  it("follow the imports of a later build", () => {
    graph.add({ inputs: { "shared/sync/run.ts": input("shared/sync/new.ts") } });
    expect([...graph.importersOf(["shared/sync/new.ts"])]).toEqual(["run-sync"]);
    expect([...graph.importersOf(["shared/plants/plant.ts"])]).toEqual(["create-plant"]);
  });
});

describe("the files that wait for a build", () => {
  it("are those that changed during the build before, and those of a build that failed", async () => {
    const built: (readonly string[])[] = [];
    const errors: unknown[] = [];
    const build = async (files: readonly string[]) => {
      built.push(files);
      // Saved again after the build has read it.
      if (built.length === 1) void queue.add(["a.ts"]);
      await Promise.resolve();
      if (built.length === 2) throw new Error("no build");
    };
    const queue = createBuildQueue(build, (error) => errors.push(error));
    await queue.add(["a.ts"]);
    await queue.add([]);
    await queue.add(["b.ts"]);
    await queue.add([]);
    expect(built).toEqual([["a.ts"], ["a.ts"], ["a.ts"], ["b.ts"]]);
    expect(errors).toEqual([new Error("no build")]);
  });
});

describe("the difference of two templates", () => {
  const fn = (key: string, memory = 1024) => ({
    Type: "AWS::Lambda::Function",
    Properties: { Code: { S3Key: key }, MemorySize: memory },
  });
  const route = { Type: "AWS::ApiGatewayV2::Route", Properties: { RouteKey: "GET /plants/{id}" } };

  it("leaves out the code of functions", () => {
    expect(describeDifference({ RunSync1234ABCD: fn("a.zip") }, { RunSync1234ABCD: fn("b.zip") })).toBeUndefined();
  });

  it("names routes, or else resources without the hash of their logical id", () => {
    const before = { RunSync1234ABCD: fn("a.zip"), Old1234ABCD: fn("a.zip") };
    const after = { RunSync1234ABCD: fn("a.zip", 512), GetPlant1234ABCD: fn("a.zip"), Route1: route };
    expect(describeDifference(before, after)).toBe("adds GET /plants/{id}, removes Old, changes RunSync");
  });
});

describe("the watch of source files", () => {
  let root = "";
  let watching: SourceWatch | undefined;
  afterEach(() => {
    watching?.stop();
  });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  /** Starts a watch; the function waits for the next change. */
  const start = () => {
    root = newDirectory("watched-");
    for (const path of ["functions/plants/list.ts", "shared/plants/plant.ts", "infra/app.ts", "package.json"])
      write(path, "{}");
    const changes: (readonly string[])[] = [];
    let heard = () => {};
    watching = watchSources(root, readSourceFiles(root), (paths) => {
      changes.push(paths);
      heard();
    });
    return async () => {
      if (changes.length === 0)
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      return changes.shift();
    };
  };

  it("reports files that are saved together as one change, and leaves out editors' temporary files", async () => {
    const next = start();
    write("shared/plants/plant.ts", "{ }");
    write("shared/plants/.#plant.ts", "");
    write("shared/plants/plant.ts~", "");
    write("package.json", "{ }");
    write("functions/new-subject/new-function.ts", "{}");
    expect(await next()).toEqual(["functions/new-subject/new-function.ts", "package.json", "shared/plants/plant.ts"]);
  });

  it("reports each of several saves by rename, files of new folders, and removed files", async () => {
    const next = start();
    for (const text of ["[1]", "[2]"]) {
      write("shared/plants/next", text);
      renameSync(join(root, "shared/plants/next"), join(root, "shared/plants/plant.ts"));
      expect(await next()).toEqual(["shared/plants/plant.ts"]);
    }
    write("shared/records/record.ts", "");
    expect(await next()).toEqual(["shared/records/record.ts"]);
    write("shared/records/record.ts", "changed");
    expect(await next()).toEqual(["shared/records/record.ts"]);
    rmSync(join(root, "shared/records"), { recursive: true });
    expect(await next()).toEqual(["shared/records/record.ts"]);
  });
});
