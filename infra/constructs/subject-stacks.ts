import { basename, dirname, join } from "node:path";
import { type CfnStack, NestedStack } from "aws-cdk-lib";
import { Construct } from "constructs";
import { functionFiles } from "../bundling/bundle-functions.ts";

const root = join(import.meta.dirname, "..", "..");

/** `circuit-breaker` becomes `CircuitBreaker`. */
export const toConstructId = (name: string): string =>
  name.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The construct of an id in a scope, which has it from then on. */
export const groupIn = (scope: Construct, id: string): Construct =>
  (scope.node.tryFindChild(id) as Construct | undefined) ?? new Construct(scope, id);

/**
 * The nested stacks: the functions of each folder of functions/, with what only they need. They leave room in the root,
 * which has what holds data, an address or a name that is unique in an account, and so cannot move (docs/upgrade.md).
 * A nested stack refers to the root's resources, and those that only start or watch functions refer to nested stacks.
 */
export class SubjectStacks extends Construct {
  readonly #files = functionFiles(root);

  /** @param file the name of a function's file, without folder and extension. */
  of(file: string): NestedStack {
    const folder = basename(dirname(this.#files.get(file) ?? ""));
    const id = toConstructId(folder);
    const found = this.node.tryFindChild(id) as NestedStack | undefined;
    if (found !== undefined) return found;
    const made = new NestedStack(this, id, { description: `The functions of functions/${folder}/` });
    // Short, because the names of functions and of their logs contain it.
    (made.nestedStackResource as CfnStack).overrideLogicalId(id);
    return made;
  }
}
