import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";
import { assemblyDirectory } from "../support/assembly.ts";
import { startService } from "../support/service.ts";

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

type Template = {
  Resources: Record<
    string,
    { Type: string; Properties: { PolicyDocument: { Statement: { Action: string | string[] }[] } } }
  >;
};

/** The service's assembly without the grants of one action. */
const assemblyWithout = (action: string): string => {
  const directory = mkdtempSync(join(tmpdir(), "assembly-"));
  directories.push(directory);
  cpSync(assemblyDirectory, directory, { recursive: true });
  for (const file of globSync("*.template.json", { cwd: directory })) {
    const path = join(directory, file);
    const template: Template = JSON.parse(readFileSync(path, "utf8"));
    for (const { Type, Properties } of Object.values(template.Resources)) {
      if (Type !== "AWS::IAM::Policy") continue;
      const { PolicyDocument } = Properties;
      PolicyDocument.Statement = PolicyDocument.Statement.filter(({ Action }) => ![Action].flat().includes(action));
    }
    writeFileSync(path, JSON.stringify(template));
  }
  return directory;
};

describe("without its grant", () => {
  it.each([
    ["POST", "/plants", '{"id":1,"name":"x"}', "dynamodb:PutItem"],
    ["GET", "/plants", undefined, "dynamodb:Query"],
    ["DELETE", "/plants/1", undefined, "dynamodb:DeleteItem"],
  ])("%s %s is denied by the local cloud as it would be by AWS", async (method, path, body, action) => {
    const service = await startService({ assembly: assemblyWithout(action) });
    try {
      const token = await service.mint({});
      const denied = await service.request(method, path, { token, body });
      expect(denied).toMatchObject({ status: 503, body: { error: 50301 } });
      expect(service.logged()).toContain(action);
      expect(service.logged()).toContain("AccessDenied");
    } finally {
      await service.stop();
    }
  });
});
