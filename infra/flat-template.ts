/**
 * The templates of a synthesised assembly (cdk.out), which has one stack and its nested stacks. A nested template is a file
 * beside that of its parent; it gets values as parameters, and its parent reads its outputs. Who looks for a resource reads
 * the flat template, in which the resources of all stacks refer to each other as those of one stack do.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

type Values = Readonly<Record<string, unknown>>;

type Resource = {
  Type: string;
  Condition?: string;
  DependsOn?: string | readonly string[];
  Properties?: Values;
};

export type Template = {
  Parameters?: Readonly<Record<string, object>>;
  Resources: Readonly<Record<string, Resource>>;
  Outputs?: Readonly<Record<string, { Value: unknown }>>;
};

const NESTED_STACK = "AWS::CloudFormation::Stack";

/** In a nested stack these are its own, but flat resources have those of the root. */
const OF_STACK = ["AWS::StackName", "AWS::StackId"];

type Manifest = {
  artifacts: Readonly<Record<string, { type: string; properties?: { templateFile?: string; file?: string } }>>;
};
type Assets = {
  files: Readonly<
    Record<string, { source: { path?: string }; destinations: Readonly<Record<string, { objectKey: string }>> }>
  >;
};

/** Replaces intrinsic functions in a value by what `replace` answers; undefined keeps them. */
const replaced = (value: unknown, replace: (name: string, argument: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  const found = entries.length === 1 && name !== undefined ? replace(name, argument) : undefined;
  return found ?? Object.fromEntries(entries.map(([key, item]) => [key, replaced(item, replace)]));
};

type Read = { template: (file: string) => Template; nestedFile: (url: unknown) => string };

/** @param parameters by name, in terms of the root's resources; undefined for the root itself */
const flatten = (file: string, parameters: Values | undefined, read: Read): Template => {
  const { Resources, Outputs = {} } = read.template(file);
  const flat = new Map<string, Template>();

  /** The nested stack of a logical id; undefined if it is another resource. */
  const nested = (logicalId: string): Template | undefined => {
    const { Type, Properties: { TemplateURL, Parameters = {} } = {} } = Resources[logicalId] ?? {};
    if (Type !== NESTED_STACK) return undefined;
    const found = flat.get(logicalId) ?? flatten(read.nestedFile(TemplateURL), resolve(Parameters) as Values, read);
    flat.set(logicalId, found);
    return found;
  };

  const resolve = (value: unknown): unknown =>
    replaced(value, (name, argument) => {
      if (name === "Ref" && parameters !== undefined && OF_STACK.includes(String(argument)))
        throw new Error(`${file}: take the root's ${argument}, because a nested stack has its own.`);
      if (name === "Ref") return parameters?.[String(argument)];
      if (name !== "Fn::GetAtt" || !Array.isArray(argument)) return undefined;
      return nested(String(argument[0]))?.Outputs?.[String(argument[1]).replace("Outputs.", "")]?.Value;
    });

  const found: Record<string, Resource> = {};
  const add = (logicalId: string, resource: Resource): void => {
    if (logicalId in found) throw new Error(`${file}: two stacks declare ${logicalId}: rename a construct.`);
    found[logicalId] = resource;
  };
  for (const [logicalId, { DependsOn = [], Properties, ...resource }] of Object.entries(Resources)) {
    const own = nested(logicalId);
    if (own !== undefined) for (const entry of Object.entries(own.Resources)) add(...entry);
    else {
      const others = [DependsOn].flat().filter((other) => Resources[other]?.Type !== NESTED_STACK);
      add(logicalId, {
        ...resource,
        ...(others.length > 0 && { DependsOn: others }),
        ...(Properties !== undefined && { Properties: resolve(Properties) as Values }),
      });
    }
  }
  const outputs = Object.entries(Outputs).map(([name, output]) => [name, { ...output, Value: resolve(output.Value) }]);
  return { Resources: found, Outputs: Object.fromEntries(outputs) };
};

export type Templates = {
  root: Template;
  /** Those of nested stacks, by file. */
  nested: ReadonlyMap<string, Template>;
  /** The root with the resources of all nested stacks. */
  flat: Template;
};

/**
 * Reads the templates of an assembly's first stack.
 * @throws Error if two stacks have a resource of the same logical id
 */
export const readTemplates = (directory: string): Templates => {
  const readJson = <T>(file: string): T => JSON.parse(readFileSync(join(directory, file), "utf8"));
  const artifacts = Object.values(readJson<Manifest>("manifest.json").artifacts);
  const rootFile = artifacts.find(({ type }) => type === "aws:cloudformation:stack")?.properties?.templateFile;
  if (rootFile === undefined) throw new Error(`${directory}: the assembly has no stack.`);
  const assets = new Map(
    artifacts
      .filter(({ type }) => type === "cdk:asset-manifest")
      .flatMap(({ properties: { file = "" } = {} }) => Object.values(readJson<Assets>(file).files))
      .flatMap(({ source, destinations }) =>
        Object.values(destinations).map(({ objectKey }) => [objectKey, source.path] as const),
      ),
  );
  const root = readJson<Template>(rootFile);
  const nested = new Map<string, Template>();
  const flat = flatten(rootFile, undefined, {
    template: (file) => {
      if (file === rootFile) return root;
      const template = readJson<Template>(file);
      nested.set(file, template);
      return template;
    },
    // The address ends with the key under which a deployment uploads the template.
    nestedFile: (url) => {
      const parts = (url as { "Fn::Join"?: [string, string[]] })["Fn::Join"]?.[1] ?? [String(url)];
      const key = basename(parts.at(-1) ?? "");
      const file = assets.get(key);
      if (file === undefined) throw new Error(`${directory}: no asset of the assembly has the key ${key}.`);
      return file;
    },
  });
  return { root, nested, flat };
};
