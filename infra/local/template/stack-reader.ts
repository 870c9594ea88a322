import * as z from "zod";
import type { NotRun, StackModel } from "../core/model.ts";
import { TemplateError } from "../core/template-error.ts";
import type { Identify } from "./identity.ts";
import type { Resolver } from "./resolve.ts";
import type { Scope, Template } from "./template.ts";

/** A resource that the template declares and whose condition holds; `arn` is its reference where it has no ARN. */
export type Resource = {
  logicalId: string;
  type: string;
  ref: string;
  arn: string;
  attributes: Record<string, string>;
};

/** What a reader makes of a resource's properties; a property in none of the three lists is reported as not run. */
export type PropertyPlan<Shape extends z.ZodRawShape> = {
  understood: z.ZodObject<Shape>;
  /** Properties that change nothing on one machine. */
  nothingLocally?: readonly string[];
  /** Properties that matter and are not applied, with what that means for the user. */
  notApplied?: Record<string, string>;
};

/** The stack as the readers of the resource families see it. */
export type StackReader = {
  scope: Scope;
  /** The declared resources of a type, in the template's order. */
  resources(type: string): Resource[];
  /** The understood properties of a resource, resolved and parsed. @throws TemplateError naming the resource. */
  properties<Shape extends z.ZodRawShape>(resource: Resource, plan: PropertyPlan<Shape>): z.infer<z.ZodObject<Shape>>;
  /** The directory of an asset that a deployment would upload, by its key in the bucket. */
  assetDirectory(resource: Resource, s3Key: string): string;
  /** The generated value of a secret, made on first use. */
  secretValue(resource: Resource): string;
  /** Says that something is not run, and what that means for the user. */
  notRun(resource: Resource, reason: string): void;
};

/** What a family contributes to the model. */
export type Contribution = Partial<Omit<StackModel, "stackName" | "accountId" | "region" | "notRun">>;

/** The resource types of one concern: their identities, and how they become part of the model. */
export type ResourceFamily = { identities: Record<string, Identify>; read?: (stack: StackReader) => Contribution };

type Options = {
  template: Template;
  scope: Scope;
  resolver: Resolver;
  assetDirectories: ReadonlyMap<string, string>;
  secretValue: (logicalId: string) => string;
  notRun: NotRun[];
};

const isAbsent = (value: unknown): boolean => JSON.stringify(value) === '{"Ref":"AWS::NoValue"}';

export const createStackReader = (options: Options): StackReader => {
  const { template, scope, resolver, assetDirectories } = options;

  const notRun = (resource: Resource, reason: string): void => {
    options.notRun.push({ logicalId: resource.logicalId, type: resource.type, reason });
  };

  const resourceOf = (logicalId: string, type: string): Resource => {
    const { ref = logicalId, attributes } = resolver.identityOf(logicalId);
    return { logicalId, type, ref, arn: attributes.Arn ?? ref, attributes };
  };

  return {
    scope,
    notRun,
    resources: (type) =>
      Object.entries(template.Resources)
        .filter(([logicalId, resource]) => resource.Type === type && resolver.isDeclared(logicalId))
        .map(([logicalId]) => resourceOf(logicalId, type)),
    properties: (resource, { understood, nothingLocally = [], notApplied = {} }) => {
      const wanted: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(template.Resources[resource.logicalId]?.Properties ?? {})) {
        if (isAbsent(value) || nothingLocally.includes(name)) continue;
        if (name in understood.shape) wanted[name] = resolver.resolve(resource.logicalId, value);
        else notRun(resource, notApplied[name] ?? `its property ${name} is not applied`);
      }
      const parsed = understood.safeParse(wanted);
      if (parsed.success) return parsed.data;
      throw new TemplateError(resource.logicalId, `${resource.type}: ${z.prettifyError(parsed.error)}`);
    },
    assetDirectory: (resource, s3Key) => {
      const directory = assetDirectories.get(s3Key);
      if (directory === undefined) throw new TemplateError(resource.logicalId, `the assembly has no asset ${s3Key}`);
      return directory;
    },
    secretValue: ({ logicalId }) => options.secretValue(logicalId),
  };
};
