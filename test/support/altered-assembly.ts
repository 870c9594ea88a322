import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemblyDirectory } from "./assembly.ts";

type Statement = { Action: string | string[]; Resource: unknown };
type Resource =
  | { Type: "AWS::IAM::Role"; Properties: { Policies?: { PolicyDocument: { Statement: Statement[] } }[] } }
  | { Type: "AWS::Lambda::Function"; Properties: { Timeout: number } };

/** A right of a role: the role's logical id, an action and the resource as JSON. */
export type DeclaredRight = { role: string; action: string; resource: string };

const rightsOf = (role: string, { Action, Resource }: Statement): DeclaredRight[] =>
  [Action].flat().map((action) => ({ role, action, resource: JSON.stringify(Resource) }));

/**
 * Makes altered copies of the service's assembly. Remove them in `afterAll`.
 * Each function throws if nothing matches: such a test would prove nothing.
 */
export const createAlteredAssemblies = (source = assemblyDirectory) => {
  const directories: string[] = [];

  /** @param change alters a resource and returns the number of alterations. */
  const alter = (change: (logicalId: string, resource: Resource) => number, nothing: string): string => {
    const directory = mkdtempSync(join(tmpdir(), "assembly-"));
    directories.push(directory);
    cpSync(source, directory, { recursive: true });
    let changed = 0;
    for (const file of globSync("*.template.json", { cwd: directory })) {
      const path = join(directory, file);
      const template: { Resources: Record<string, Resource> } = JSON.parse(readFileSync(path, "utf8"));
      for (const [logicalId, resource] of Object.entries(template.Resources)) changed += change(logicalId, resource);
      writeFileSync(path, JSON.stringify(template));
    }
    if (changed === 0) throw new Error(nothing);
    return directory;
  };

  return {
    /** The assembly without every right that matches. */
    without: (matches: (right: DeclaredRight) => boolean): string =>
      alter((logicalId, { Type, Properties }) => {
        if (Type !== "AWS::IAM::Role") return 0;
        let removed = 0;
        for (const { PolicyDocument } of Properties.Policies ?? []) {
          const kept = PolicyDocument.Statement.filter((statement) => !rightsOf(logicalId, statement).some(matches));
          removed += PolicyDocument.Statement.length - kept.length;
          PolicyDocument.Statement = kept;
        }
        return removed;
      }, "no right of the assembly matches"),

    /** The assembly with another time-out for the functions whose logical id contains the name. */
    withTimeLimit: (name: string, seconds: number): string =>
      alter((logicalId, { Type, Properties }) => {
        if (Type !== "AWS::Lambda::Function" || !logicalId.includes(name)) return 0;
        Properties.Timeout = seconds;
        return 1;
      }, "no function of the assembly matches"),

    remove(): void {
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    },
  };
};
