import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import esbuild from "esbuild";
import { readTemplates, type Template } from "../../flat-template.ts";

type Resource = { Type: string; Properties?: Readonly<Record<string, unknown>> };
type Resources = Readonly<Record<string, Resource>>;

/** The files that the synthesis reads, without functions' code. @throws Error if a file has a syntax error */
export const synthesisInputs = async (root: string): Promise<ReadonlySet<string>> => {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["infra/synth.ts"],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  return new Set(Object.keys(metafile.inputs));
};

const withoutCode = ({ Type, Properties: { Code, ...properties } = {} }: Resource) => ({ Type, properties });

const nameOf = (logicalId: string, { Type, Properties }: Resource): string =>
  Type === "AWS::ApiGatewayV2::Route" ? String(Properties?.RouteKey) : logicalId.replace(/[0-9A-F]{8}$/, "");

/**
 * The difference of two templates apart from functions' code: `adds GET /plants/{id}, changes RunSync and 2 more`.
 * Undefined if there is none.
 */
export const describeDifference = (before: Resources, after: Resources): string | undefined => {
  const list = (verb: string, resources: Resources, isListed: (logicalId: string) => boolean): string[] => {
    const listed = Object.entries(resources).filter(([logicalId]) => isListed(logicalId));
    // A route says more than the function, the role and the permissions that come with it.
    const routes = listed.filter(([, { Type }]) => Type === "AWS::ApiGatewayV2::Route");
    const [first, second, ...others] = (routes.length > 0 ? routes : listed).map(([id, resource]) =>
      nameOf(id, resource),
    );
    if (first === undefined) return [];
    const count = others.length > 0 ? ` and ${others.length} more` : "";
    return [`${verb} ${[first, ...(second === undefined ? [] : [second])].join(", ")}${count}`];
  };
  const isSame = (a: Resource, b: Resource) => isDeepStrictEqual(withoutCode(a), withoutCode(b));
  const parts = [
    ...list("adds", after, (id) => before[id] === undefined),
    ...list("removes", before, (id) => after[id] === undefined),
    ...list("changes", after, (id) => {
      const [old, young] = [before[id], after[id]];
      return old !== undefined && young !== undefined && !isSame(old, young);
    }),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
};

/**
 * Synthesises the present files in another process, and compares the template with that of a running assembly.
 * @param context the deployment's context of the running assembly
 * @throws Error with one sentence if the files cannot be synthesised; AbortError if `signal` is aborted
 */
export const compareInfrastructure = async (
  assemblyDirectory: string,
  context: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const temporary = mkdtempSync(join(tmpdir(), "template-"));
  try {
    const args = [join(import.meta.dirname, "print-template.ts"), join(temporary, "assembly"), JSON.stringify(context)];
    // The CDK's own checks of the template take twice as long as all other work, and the next start makes them.
    const env = { CDK_VALIDATION: "false" };
    const { stdout } = await promisify(execFile)(process.execPath, args, { signal, env, maxBuffer: 64 * 1024 * 1024 });
    const { Resources: present } = JSON.parse(stdout) as Template;
    return describeDifference(readTemplates(assemblyDirectory).flat.Resources, present);
  } catch (error) {
    const [sentence = ""] = String((error as { stderr?: unknown }).stderr ?? "").split("\n");
    throw sentence === "" ? error : new Error(sentence);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
};
