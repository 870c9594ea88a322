/**
 * Compiles event classes from a checkout of https://github.com/ocsf/ocsf-schema (Apache-2.0) to JSON Schemas: without
 * profiles and extensions, closed to other attributes, as the schema server's validator treats an event.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";

const Attribute = z.looseObject({
  requirement: z.optional(z.string()),
  profile: z.optional(z.nullable(z.string())),
  type: z.optional(z.string()),
  is_array: z.optional(z.boolean()),
  object_type: z.optional(z.string()),
  enum: z.optional(z.record(z.string(), z.unknown())),
});
type Attribute = z.output<typeof Attribute>;

const Definition = z.looseObject({
  name: z.optional(z.string()),
  extends: z.optional(z.string()),
  uid: z.optional(z.number()),
  category: z.optional(z.string()),
  attributes: z.optional(z.record(z.string(), z.unknown())),
  constraints: z.optional(
    z.object({ at_least_one: z.optional(z.array(z.string())), just_one: z.optional(z.array(z.string())) }),
  ),
});
type Definition = z.output<typeof Definition>;

const Dictionary = z.object({
  attributes: z.record(z.string(), Attribute),
  types: z.object({
    attributes: z.record(
      z.string(),
      z.looseObject({
        type: z.optional(z.string()),
        regex: z.optional(z.string()),
        max_len: z.optional(z.number()),
        range: z.optional(z.array(z.number())),
      }),
    ),
  }),
});

const Categories = z.object({ attributes: z.record(z.string(), z.looseObject({ uid: z.number() })) });

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

const jsonTypes: Readonly<Record<string, object>> = {
  string_t: { type: "string" },
  integer_t: { type: "integer" },
  long_t: { type: "integer" },
  float_t: { type: "number" },
  boolean_t: { type: "boolean" },
  json_t: {},
};

/** @returns the schema of the class of a number, and the version of the checkout. */
export const compileOcsf = (directory: string) => {
  const dictionary = Dictionary.parse(readJson(join(directory, "dictionary.json")));
  const categories = Categories.parse(readJson(join(directory, "categories.json")));
  const definitionsIn = (folder: string): Map<string, Definition> =>
    new Map(
      readdirSync(join(directory, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".json"))
        .map((file) => Definition.parse(readJson(join(directory, folder, file))))
        .map((definition) => [definition.name ?? definition.extends ?? "", definition]),
    );
  const [events, objects] = [definitionsIn("events"), definitionsIn("objects")];

  /** A definition with what it inherits. Attributes of profiles are left out, unless the class takes them as its own. */
  const inherited = (
    of: ReadonlyMap<string, Definition>,
    name: string,
  ): Definition & { own: Record<string, Attribute> } => {
    const definition = of.get(name);
    if (definition === undefined) throw new Error(`The schema has no ${name}.`);
    const parent = definition.extends === undefined ? undefined : inherited(of, definition.extends);
    const own: Record<string, Attribute> = { ...parent?.own };
    for (const [key, value] of Object.entries(definition.attributes ?? {})) {
      if (key === "$include") continue;
      const [before, attribute] = [own[key], Attribute.parse(value)];
      own[key] = { ...before, ...attribute, enum: { ...before?.enum, ...attribute.enum } };
    }
    return { ...parent, ...definition, own };
  };

  const scalarOf = (name: string): object => {
    const { type, regex, max_len: maxLength, range } = dictionary.types.attributes[name] ?? {};
    return {
      ...(jsonTypes[name] ?? scalarOf(type ?? "")),
      ...(regex !== undefined && { pattern: regex }),
      ...(maxLength !== undefined && { maxLength }),
      ...(range !== undefined && { minimum: range[0], maximum: range[1] }),
    };
  };

  const used = new Set<string>();
  const valueSchemaOf = (name: string, attribute: Attribute): object => {
    const general = dictionary.attributes[name];
    const { type = "string_t", object_type: objectType, is_array: isArray } = { ...general, ...attribute };
    const words = Object.keys({ ...general?.enum, ...attribute.enum });
    const isObject = type === "object_t" || objects.has(type);
    const one = isObject ? { $ref: `#/$defs/${objectType ?? type}` } : scalarOf(type);
    if (isObject) used.add(objectType ?? type);
    const isText = "type" in one && one.type === "string";
    const value = words.length === 0 ? one : { ...one, enum: isText ? words : words.map(Number) };
    return isArray ? { type: "array", items: value } : value;
  };

  const schemaOf = ({
    own,
    constraints = {},
  }: Pick<Definition, "constraints"> & { own: Record<string, Attribute> }) => {
    const attributes = Object.entries(own).filter(([, { profile }]) => profile === undefined || profile === null);
    const requiring = (names: readonly string[]) => names.map((one) => ({ required: [one] }));
    return {
      type: "object",
      properties: Object.fromEntries(attributes.map(([name, one]) => [name, valueSchemaOf(name, one)])),
      required: attributes.filter(([, { requirement }]) => requirement === "required").map(([name]) => name),
      additionalProperties: attributes.length === 0,
      ...(constraints.at_least_one && { anyOf: requiring(constraints.at_least_one) }),
      ...(constraints.just_one && { oneOf: requiring(constraints.just_one) }),
    };
  };

  const classes = new Map(
    [...events.keys()]
      .map((name) => inherited(events, name))
      .map((one) => [(categories.attributes[one.category ?? ""]?.uid ?? 0) * 1_000 + (one.uid ?? 0), one] as const),
  );

  return {
    version: z.object({ version: z.string() }).parse(readJson(join(directory, "version.json"))).version,
    schemaOfClass(uid: number): object {
      const found = classes.get(uid);
      if (found === undefined) throw new Error(`The schema has no class ${uid}.`);
      const { properties, ...schema } = schemaOf(found);
      const $defs: Record<string, object> = {};
      for (let missing = [...used]; missing.length > 0; missing = [...used].filter((name) => !(name in $defs))) {
        for (const name of missing) $defs[name] = schemaOf(inherited(objects, name));
      }
      const activities = Object.keys({ ...found.own.activity_id?.enum, ...dictionary.attributes.activity_id?.enum });
      return {
        ...schema,
        $defs,
        properties: {
          ...properties,
          class_uid: { const: uid },
          category_uid: { const: Math.floor(uid / 1_000) },
          type_uid: { enum: activities.map((activity) => uid * 100 + Number(activity)) },
        },
      };
    },
  };
};
