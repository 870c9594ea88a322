import { TemplateError } from "../core/template-error.ts";
import type { Identify, Identity } from "./identity.ts";
import { intrinsics, noValue } from "./intrinsics.ts";
import { pseudoParameters, type Scope, type Template } from "./template.ts";

export type Resolver = {
  /** The value with every intrinsic function resolved; what is AWS::NoValue is left out, at the top as undefined. */
  resolve(logicalId: string, value: unknown): unknown;
  /** Ref and attributes of a resource. */
  identityOf(logicalId: string): Identity;
  /** False for a resource whose Condition does not hold. */
  isDeclared(logicalId: string): boolean;
};

export type ResolverOptions = {
  template: Template;
  scope: Scope;
  /** By resource type: what Ref and Fn::GetAtt answer. */
  identities: Record<string, Identify>;
  /** The text in place of a `{{resolve:…}}` reference. @throws Error saying what is not understood. */
  dynamicReference(reference: string): string;
};

/** CDK asks for the version of its bootstrap stack, which a parameter of Systems Manager holds. Any recent one will do. */
const bootstrapParameter = /^\/cdk-bootstrap\/[^/]+\/version$/;
const bootstrapVersion = "30";

/** `Condition` is also an ordinary key: only with a name beside it does it refer to a condition of the template. */
const isIntrinsic = (name: string, argument: unknown): boolean =>
  name === "Ref" || name.startsWith("Fn::") || (name === "Condition" && typeof argument === "string");

/** One resolver for names, ARNs, environments and policies alike, so that they agree. */
export const createResolver = ({ template, scope, identities, dynamicReference }: ResolverOptions): Resolver => {
  const pseudo = new Map(Object.entries(pseudoParameters(scope)));
  const known = new Map<string, Identity>();
  const underway = new Set<string>();

  /** Guards a lookup by name against asking, by some detour, for itself. */
  const once = <T>(name: string, work: () => T): T => {
    if (underway.has(name)) throw new TemplateError(name, "depends on itself");
    underway.add(name);
    try {
      return work();
    } finally {
      underway.delete(name);
    }
  };

  const parameter = (name: string): string | undefined => {
    const declared = Object.hasOwn(template.Parameters, name) ? template.Parameters[name] : undefined;
    if (declared === undefined) return undefined;
    const value = declared.Default;
    if (declared.Type.startsWith("AWS::SSM::")) {
      if (bootstrapParameter.test(String(value))) return bootstrapVersion;
      throw new TemplateError(name, `the local cloud has no Systems Manager parameter ${String(value)}`);
    }
    if (value === undefined) throw new TemplateError(name, "the parameter has no default value");
    return String(value);
  };

  const condition = (logicalId: string, name: string): boolean => {
    const declared = template.Conditions[name];
    if (declared === undefined) throw new TemplateError(logicalId, `there is no condition ${name}`);
    return once(`Conditions.${name}`, () => resolve(`Conditions.${name}`, declared)) === true;
  };

  const identityOf = (logicalId: string): Identity => {
    const found = known.get(logicalId);
    if (found !== undefined) return found;
    const resource = template.Resources[logicalId];
    if (resource === undefined) throw new TemplateError(logicalId, "the template declares no such resource");
    const identify = identities[resource.Type];
    if (identify === undefined) {
      throw new TemplateError(logicalId, `Ref and Fn::GetAtt of ${resource.Type} are not understood`);
    }
    const text = (property: string): string | undefined => {
      const value = resolve(logicalId, resource.Properties[property]);
      return typeof value === "string" ? value : undefined;
    };
    const identity = once(logicalId, () => identify({ logicalId, scope, text }));
    known.set(logicalId, identity);
    return identity;
  };

  const surroundings = (logicalId: string) => ({
    resolve: (value: unknown) => resolveValue(logicalId, value),
    reference: (name: string): unknown => {
      if (name === "AWS::NoValue") return noValue;
      const value = pseudo.get(name) ?? parameter(name);
      if (value !== undefined) return value;
      if (!Object.hasOwn(template.Resources, name)) throw new TemplateError(logicalId, `Ref ${name} names nothing`);
      const { ref } = identityOf(name);
      if (ref === undefined) throw new TemplateError(logicalId, `Ref ${name} is not understood for its type`);
      return ref;
    },
    attribute: (owner: string, name: string): string => {
      const value = identityOf(owner).attributes[name];
      if (value === undefined) throw new TemplateError(logicalId, `Fn::GetAtt ${owner}.${name} is not understood`);
      return value;
    },
    condition: (name: string) => condition(logicalId, name),
    fail: (problem: string): never => {
      throw new TemplateError(logicalId, problem);
    },
  });

  const withDynamicReferences = (logicalId: string, value: string): string =>
    value.replace(/\{\{resolve:([^}]*)\}\}/g, (_all, reference: string) => {
      try {
        return dynamicReference(reference);
      } catch (error) {
        throw new TemplateError(logicalId, error instanceof Error ? error.message : String(error));
      }
    });

  const resolveValue = (logicalId: string, value: unknown): unknown => {
    if (typeof value === "string") return withDynamicReferences(logicalId, value);
    if (Array.isArray(value))
      return value.map((item) => resolveValue(logicalId, item)).filter((item) => item !== noValue);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? [];
    if (entries.length === 1 && name !== undefined && isIntrinsic(name, argument)) {
      const intrinsic = Object.hasOwn(intrinsics, name) ? intrinsics[name] : undefined;
      if (intrinsic === undefined) throw new TemplateError(logicalId, `${name} is not understood`);
      const result = intrinsic(argument, surroundings(logicalId));
      return typeof result === "string" ? withDynamicReferences(logicalId, result) : result;
    }
    const resolved = entries.map(([key, item]) => [key, resolveValue(logicalId, item)] as const);
    return Object.fromEntries(resolved.filter(([, item]) => item !== noValue));
  };

  const resolve = (logicalId: string, value: unknown): unknown => {
    const resolved = resolveValue(logicalId, value);
    return resolved === noValue ? undefined : resolved;
  };

  return {
    resolve,
    identityOf,
    isDeclared: (logicalId) => {
      const name = template.Resources[logicalId]?.Condition;
      return name === undefined || condition(logicalId, name);
    },
  };
};
