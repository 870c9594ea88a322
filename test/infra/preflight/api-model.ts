/**
 * What AWS's models say about the operations that preflight calls (api-models.json): their requests are checked, and answers are
 * written, by these shapes. So a test cannot give an answer that AWS could not give, and a misspelled member is an error.
 */
import models from "./api-models.json" with { type: "json" };

export type Shape = {
  members?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  list?: Shape;
  /** The element of a list's items in XML; default: member. */
  item?: string;
  map?: Shape;
  enum?: readonly string[];
  type?: string;
  /** The name on the wire, if it differs. */
  wire?: string;
  in?: string;
};

export type Operation = {
  method: string;
  path: string;
  input: Shape;
  output: Shape;
  errors: readonly string[];
};

export type Service = {
  protocol: "query" | "json" | "rest-json" | "rest-xml";
  target?: string;
  version: string;
  operations: Readonly<Record<string, Operation>>;
};

/** By the name in signatures. */
export const services = models.services as unknown as Readonly<Record<string, Service>>;

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  integer: "number",
  long: "number",
  double: "number",
  timestamp: "number",
};

/** @throws Error if a value does not have the shape. */
export const requireShape = (value: unknown, shape: Shape, at: string): void => {
  if (shape.members !== undefined) {
    for (const name of shape.required ?? [])
      if ((value as Record<string, unknown>)[name] === undefined) throw new Error(`${at} needs ${name}`);
    for (const [name, item] of Object.entries(value as object)) {
      const member = shape.members[name];
      if (member === undefined) throw new Error(`${at} has no ${name}`);
      requireShape(item, member, `${at}.${name}`);
    }
  } else if (shape.list !== undefined) {
    for (const item of value as unknown[]) requireShape(item, shape.list, `${at}[]`);
  } else if (shape.map !== undefined) {
    for (const item of Object.values(value as object)) requireShape(item, shape.map, `${at}{}`);
  } else if (shape.enum !== undefined) {
    if (!shape.enum.includes(value as string)) throw new Error(`${at} is not one of ${shape.enum.join(", ")}`);
  } else if (typeof value !== PRIMITIVES[shape.type ?? ""]) throw new Error(`${at} is not a ${shape.type}`);
};

const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A value as the content of an XML element. */
export const toXml = (value: unknown, shape: Shape): string => {
  if (shape.members !== undefined) {
    return Object.entries(value as object)
      .map(([name, item]) => {
        const member = shape.members?.[name] ?? {};
        const wire = member.wire ?? name;
        return `<${wire}>${toXml(item, member)}</${wire}>`;
      })
      .join("");
  }
  if (shape.list !== undefined) {
    const { list, item = "member" } = shape;
    return (value as unknown[]).map((one) => `<${item}>${toXml(one, list)}</${item}>`).join("");
  }
  if (shape.map !== undefined) {
    const { map } = shape;
    return Object.entries(value as object)
      .map(([key, one]) => `<entry><key>${escapeXml(key)}</key><value>${toXml(one, map)}</value></entry>`)
      .join("");
  }
  return escapeXml(String(value));
};

/** A value as JSON, with the names on the wire. */
export const toJson = (value: unknown, shape: Shape): unknown => {
  if (shape.members !== undefined) {
    const entries = Object.entries(value as object).map(([name, item]) => {
      const member = shape.members?.[name] ?? {};
      return [member.wire ?? name, toJson(item, member)] as const;
    });
    return Object.fromEntries(entries);
  }
  if (shape.list !== undefined) {
    const { list } = shape;
    return (value as unknown[]).map((one) => toJson(one, list));
  }
  return value;
};

/** `B.member.1=y` and `B.member.2.C=z` as `{ B: ["y", { C: "z" }] }`; numbers and booleans stay texts. */
export const fromQuery = (fields: readonly (readonly [string, string])[], shape: Shape): unknown => {
  if (shape.members === undefined && shape.list === undefined) {
    const [[, text] = ["", ""]] = fields;
    return shape.type === "integer" ? Number(text) : text;
  }
  const grouped = new Map<string, (readonly [string, string])[]>();
  for (const [name, value] of fields) {
    const [first = "", ...rest] = (shape.list === undefined ? name : name.replace(/^member\./, "")).split(".");
    grouped.set(first, [...(grouped.get(first) ?? []), [rest.join("."), value]]);
  }
  if (shape.list !== undefined) {
    const { list } = shape;
    return [...grouped.values()].map((group) => fromQuery(group, list));
  }
  return Object.fromEntries(
    [...grouped].map(([name, group]) => [name, fromQuery(group, shape.members?.[name] ?? { type: "string" })]),
  );
};
