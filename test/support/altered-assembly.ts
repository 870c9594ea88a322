import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemblyDirectory } from "./assembly.ts";

type Statement = { Action: string | string[]; Resource: unknown };
type Policy = { Type: string; Properties: { PolicyDocument: { Statement: Statement[] }; Roles: unknown } };

/** A right of a role: the policy's logical id, an action and the resource as JSON. */
export type DeclaredRight = { policy: string; action: string; resource: string };

const rightsOf = (policy: string, { Action, Resource }: Statement): DeclaredRight[] =>
  [Action].flat().map((action) => ({ policy, action, resource: JSON.stringify(Resource) }));

/** Copies of the service's assembly in which roles lack rights. Remove them when the tests are done. */
export const createAlteredAssemblies = () => {
  const directories: string[] = [];
  return {
    /** The assembly without every right that matches; throws where none does, because such a test would prove nothing. */
    without(matches: (right: DeclaredRight) => boolean): string {
      const directory = mkdtempSync(join(tmpdir(), "assembly-"));
      directories.push(directory);
      cpSync(assemblyDirectory, directory, { recursive: true });
      let removed = 0;
      for (const file of globSync("*.template.json", { cwd: directory })) {
        const path = join(directory, file);
        const template: { Resources: Record<string, Policy> } = JSON.parse(readFileSync(path, "utf8"));
        for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
          if (Type !== "AWS::IAM::Policy") continue;
          const { PolicyDocument } = Properties;
          const kept = PolicyDocument.Statement.filter((statement) => !rightsOf(id, statement).some(matches));
          removed += PolicyDocument.Statement.length - kept.length;
          PolicyDocument.Statement = kept;
        }
        writeFileSync(path, JSON.stringify(template));
      }
      if (removed === 0) throw new Error("no right of the assembly matches");
      return directory;
    },
    remove(): void {
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    },
  };
};
