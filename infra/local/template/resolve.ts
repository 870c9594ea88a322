import { TemplateError } from "../core/template-error.ts";
import { type Identify, type Identity, pseudoParameters, type Scope, type Template } from "./template.ts";

export type Resolver = {
  /** The value with every intrinsic function resolved. @throws TemplateError naming the resource. */
  resolve(logicalId: string, value: unknown): unknown;
  /** Ref and attributes of a resource. */
  identityOf(logicalId: string): Identity;
};

export type ResolverOptions = {
  template: Template;
  scope: Scope;
  /** By resource type: the values of Ref and Fn::GetAtt. */
  identities: Record<string, Identify>;
};

/** One resolver for names, ARNs, environments and policies, so that they agree. */
export const createResolver = ({ template, scope, identities }: ResolverOptions): Resolver => {
  const pseudo = new Map(Object.entries(pseudoParameters(scope)));
  const known = new Map<string, Identity>();
  const underway = new Set<string>();

  const identityOf = (logicalId: string): Identity => {
    const found = known.get(logicalId);
    if (found !== undefined) return found;
    const resource = template.Resources[logicalId];
    if (resource === undefined) throw new TemplateError(logicalId, "the template declares no such resource");
    const identify = identities[resource.Type];
    if (identify === undefined)
      throw new TemplateError(logicalId, `Ref and Fn::GetAtt of ${resource.Type} are not supported`);
    if (underway.has(logicalId)) throw new TemplateError(logicalId, "depends on itself");
    underway.add(logicalId);
    const text = (property: string): string | undefined => {
      const value = resolve(logicalId, resource.Properties[property]);
      return typeof value === "string" ? value : undefined;
    };
    const identity = identify({ logicalId, scope, text });
    underway.delete(logicalId);
    known.set(logicalId, identity);
    return identity;
  };

  const reference = (logicalId: string, name: string): string => {
    const value = pseudo.get(name);
    if (value !== undefined) return value;
    if (!Object.hasOwn(template.Resources, name)) throw new TemplateError(logicalId, `Ref ${name} names nothing`);
    const { ref } = identityOf(name);
    if (ref === undefined) throw new TemplateError(logicalId, `Ref ${name} is not supported for its type`);
    return ref;
  };

  const attribute = (logicalId: string, owner: string, name: string): string => {
    const value = identityOf(owner).attributes[name];
    if (value === undefined) throw new TemplateError(logicalId, `Fn::GetAtt ${owner}.${name} is not supported`);
    return value;
  };

  const textOf = (logicalId: string, name: string, value: unknown): string => {
    const resolved = resolve(logicalId, value);
    if (typeof resolved === "string" || typeof resolved === "number") return String(resolved);
    throw new TemplateError(logicalId, `${name} takes text, not ${JSON.stringify(value)}`);
  };

  /** The intrinsic functions that the CDK writes for this service; the start stops at any other. */
  const intrinsics: Record<string, (logicalId: string, argument: unknown) => string> = {
    Ref: (logicalId, name) => reference(logicalId, String(name)),
    "Fn::GetAtt": (logicalId, argument) => {
      const [owner, name] = Array.isArray(argument) ? argument : [];
      return attribute(logicalId, String(owner), String(name));
    },
    "Fn::Join": (logicalId, argument) => {
      const [separator, parts] = Array.isArray(argument) ? argument : [];
      if (!Array.isArray(parts)) throw new TemplateError(logicalId, "Fn::Join takes a list");
      return parts.map((part) => textOf(logicalId, "Fn::Join", part)).join(String(separator));
    },
    "Fn::Sub": (logicalId, pattern) => {
      if (typeof pattern !== "string")
        throw new TemplateError(logicalId, "Fn::Sub with a map of variables is not supported");
      return pattern.replace(/\$\{([^}]+)\}/g, (_all, name: string) => {
        const [owner = "", ...attributes] = name.split(".");
        return attributes.length === 0 ? reference(logicalId, name) : attribute(logicalId, owner, attributes.join("."));
      });
    },
  };

  /** A dynamic reference to a secret would put its value into a function's configuration. */
  const withoutDynamicReferences = (logicalId: string, value: string): string => {
    const reference = /\{\{resolve:[^}]*\}\}/.exec(value)?.[0];
    if (reference === undefined) return value;
    throw new TemplateError(logicalId, `the local cloud does not support ${reference}`);
  };

  const resolve = (logicalId: string, value: unknown): unknown => {
    if (typeof value === "string") return withoutDynamicReferences(logicalId, value);
    if (Array.isArray(value)) return value.map((item) => resolve(logicalId, item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? [];
    if (entries.length === 1 && name !== undefined && (name === "Ref" || name.startsWith("Fn::"))) {
      const intrinsic = Object.hasOwn(intrinsics, name) ? intrinsics[name] : undefined;
      if (intrinsic === undefined) throw new TemplateError(logicalId, `the local cloud does not support ${name}`);
      return withoutDynamicReferences(logicalId, intrinsic(logicalId, argument));
    }
    return Object.fromEntries(entries.map(([key, item]) => [key, resolve(logicalId, item)]));
  };

  return { resolve, identityOf };
};
