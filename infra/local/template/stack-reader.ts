import type * as z from "zod";
import type { NotRun, StackModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import type { Resolver } from "./resolve.ts";
import type { Identify, Scope, Template } from "./template.ts";

/** A resource of the template; `arn` is its reference if it has no ARN. */
export type Resource = {
  logicalId: string;
  type: string;
  ref: string;
  arn: string;
  attributes: Record<string, string>;
};

/** How the properties of a resource type are read. A property that no list contains stops the start. */
export type PropertyPlan<Shape extends z.ZodRawShape> = {
  supported: z.ZodObject<Shape>;
  /** Properties that change nothing on one machine. */
  ignored?: readonly string[];
  /** Properties that matter only in a deployment and are not applied here, with the consequence for the user. */
  notApplied?: Record<string, string>;
};

/** The stack as the readers of the resource families see it. */
export type StackReader = {
  scope: Scope;
  /** The resources of a type, in the template's order. */
  resources(type: string): Resource[];
  /** The supported properties of a resource, resolved and parsed. @throws TemplateError naming the resource. */
  properties<Shape extends z.ZodRawShape>(resource: Resource, plan: PropertyPlan<Shape>): z.infer<z.ZodObject<Shape>>;
  /** The directory of an asset, by its key in the deployment's bucket. */
  assetDirectory(resource: Resource, s3Key: string): string;
};

/** What a family contributes to the model. */
export type Contribution = Partial<Omit<StackModel, "stackName" | "accountId" | "region" | "notRun">>;

/** The resource types of one concern: their identities, and how they become part of the model. */
export type ResourceFamily = { identities: Record<string, Identify>; read?: (stack: StackReader) => Contribution };

const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("");

/** One sentence about the first property that is not supported. */
const refusal = (type: string, { issues }: z.ZodError): string => {
  const [issue] = issues;
  if (issue?.code === "unrecognized_keys")
    return `the local cloud does not support ${pathOf([...issue.path, issue.keys[0] ?? ""])} of ${type}`;
  const path = pathOf(issue?.path ?? []);
  return `the local cloud does not support this ${path === "" ? "value" : path} of ${type}: ${issue?.message}`;
};

export const createStackReader = (options: {
  template: Template;
  scope: Scope;
  resolver: Resolver;
  assetDirectories: ReadonlyMap<string, string>;
  notRun: NotRun[];
}): StackReader => {
  const { template, scope, resolver, assetDirectories, notRun } = options;

  const resourceOf = (logicalId: string, type: string): Resource => {
    const { ref = logicalId, attributes } = resolver.identityOf(logicalId);
    return { logicalId, type, ref, arn: attributes.Arn ?? ref, attributes };
  };

  return {
    scope,
    resources: (type) =>
      Object.entries(template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([logicalId]) => resourceOf(logicalId, type)),
    properties: ({ logicalId, type }, { supported, ignored = [], notApplied = {} }) => {
      const declared = Object.entries(template.Resources[logicalId]?.Properties ?? {}).filter(
        ([name]) => !ignored.includes(name),
      );
      for (const [name] of declared) {
        const reason = notApplied[name];
        if (reason !== undefined) notRun.push({ logicalId, type, reason });
      }
      const wanted = declared
        .filter(([name]) => !(name in notApplied))
        .map(([name, value]) => [name, name in supported.shape ? resolver.resolve(logicalId, value) : value]);
      const parsed = supported.strict().safeParse(Object.fromEntries(wanted));
      if (parsed.success) return parsed.data;
      throw new TemplateError(logicalId, refusal(type, parsed.error));
    },
    assetDirectory: ({ logicalId }, s3Key) => {
      const directory = assetDirectories.get(s3Key);
      if (directory === undefined) throw new TemplateError(logicalId, `the assembly has no asset ${s3Key}`);
      return directory;
    },
  };
};
