import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { readTemplates } from "../../flat-template.ts";
import { Template } from "./template.ts";

const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      environment: z.string().optional(),
      properties: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
});

const Assets = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string().optional(), packaging: z.string().optional() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

/** One stack as `cdk synth` writes it; the template is flat, so that it also has the resources of nested stacks. */
export type Assembly = {
  stackName: string;
  /** Absent unless the stack is bound to an account and a region. */
  accountId?: string;
  region?: string;
  template: Template;
  /** Directories of the file assets, by the key under which a deployment uploads them. */
  assetDirectories: ReadonlyMap<string, string>;
};

const parse = <T>(schema: z.ZodType<T>, value: unknown, file: string): T => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
};

const readJson = async <T>(schema: z.ZodType<T>, file: string): Promise<T> =>
  parse(schema, JSON.parse(await readFile(file, "utf8")), file);

const readAssets = async (directory: string, file: string): Promise<[string, string][]> => {
  const { files } = await readJson(Assets, join(directory, file));
  return Object.values(files).flatMap(({ source, destinations }) =>
    source.path === undefined || source.packaging !== "zip"
      ? []
      : Object.values(destinations).map(({ objectKey }): [string, string] => [
          objectKey,
          join(directory, source.path ?? ""),
        ]),
  );
};

/**
 * Reads a synthesised assembly (cdk.out): manifest.json names the stack's template and its asset manifests.
 * @throws Error if the directory is not an assembly of exactly one stack.
 */
export const readAssembly = async (directory: string): Promise<Assembly> => {
  const { artifacts } = await readJson(Manifest, join(directory, "manifest.json"));
  const stacks = Object.entries(artifacts).filter(([, artifact]) => artifact.type === "aws:cloudformation:stack");
  const [stack, ...others] = stacks;
  if (stack === undefined || others.length > 0) {
    const names = stacks.map(([name]) => name).join(", ");
    throw new Error(`${directory}: the local cloud runs assemblies of one stack; this one has ${names || "none"}`);
  }
  const [artifactId, { environment = "", properties }] = stack;
  const assets = Object.values(artifacts).filter((artifact) => artifact.type === "cdk:asset-manifest");
  const directories = await Promise.all(
    assets.map((artifact) => readAssets(directory, String(artifact.properties.file))),
  );
  const [, accountId, region] = /^aws:\/\/([^/]+)\/(.+)$/.exec(environment) ?? [];
  const isKnown = (value: string | undefined): value is string => value !== undefined && !value.startsWith("unknown-");
  return {
    stackName: String(properties.stackName ?? artifactId),
    ...(isKnown(accountId) && { accountId }),
    ...(isKnown(region) && { region }),
    template: parse(Template, readTemplates(directory).flat, join(directory, String(properties.templateFile))),
    assetDirectories: new Map(directories.flat()),
  };
};
