/**
 * Generates values from the JSON Schemas (2020-12) of the OpenAPI document. It reads the keywords that the document uses.
 * `valid` follows `type`, lengths, ranges, `pattern`, `enum`, `const`, `properties`, `items`, `oneOf` and `anyOf`; the
 * caller filters by `not`, `if` and `allOf`. `near` deviates from the schema in one place, by one step where it can.
 */
import { fc } from "./fixed-seed.ts";

export type Schema = {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  not?: Schema;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
};

type Values = { valid: fc.Arbitrary<unknown> | undefined; near: fc.Arbitrary<unknown> };

/** Characters of 1 to 4 bytes in UTF-8, some of which JSON, HTML, URLs or keys escape. */
const CHARACTERS = [
  "a",
  "Z",
  "7",
  "é",
  "漢",
  "😀",
  "\u0000",
  "\u001f",
  "\n",
  '"',
  "\\",
  "\u2028",
  " ",
  "/",
  "%",
  "#",
  "<",
];

const character = fc.constantFrom(...CHARACTERS);
const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 6 }), fc.string({ unit: character, maxLength: 6 }));
/** Keys that a program may confuse with an object's own members. */
const innerKey = fc.oneof(anyText, fc.constantFrom("constructor", "toString", "hasOwnProperty", "extra"));
/** The document can forbid a key of an object, but not of the values inside. */
const key = fc.oneof({ arbitrary: innerKey, weight: 4 }, { arbitrary: fc.constant("__proto__"), weight: 1 });
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(0.5, -1e-7, 1e21)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(innerKey, tie("value"), { maxKeys: 3 }),
  ),
})).value;

const wrongTypes = fc.constantFrom<unknown>(null, true, false, 0, 1.5, "", "x", "1", [], ["x"], {}, { x: 1 });

const repeated = (length: number): fc.Arbitrary<string> => character.map((one) => one.repeat(Math.max(0, length)));

const texts = ({ minLength = 0, maxLength = minLength + 40 }: Schema): Values => ({
  valid: fc.oneof(
    repeated(minLength),
    repeated(maxLength),
    fc.string({ unit: character, minLength, maxLength: Math.min(maxLength, minLength + 8) }),
  ),
  near: fc.oneof(repeated(minLength - 1), repeated(maxLength + 1), repeated(maxLength * 2), wrongTypes),
});

/** The greatest length that a pattern ends with, such as 255 of `^[!-~]{1,255}$`. */
const lastBound = (pattern: string): number => Number(/\{\d+,(\d+)\}\)?\$$/.exec(pattern)?.[1] ?? 1);

/** A pattern by classes of Unicode, of which fast-check generates no texts. What it forbids is near. */
const matchingClasses = (schema: Schema, pattern: string): Values => {
  const { valid = fc.constant("x"), near } = texts(schema);
  const form = new RegExp(pattern, "u");
  return { valid: valid.filter((one) => typeof one === "string" && form.test(one)), near: fc.oneof(near, valid) };
};

const matching = (pattern: string): Values => {
  const valid = fc.stringMatching(new RegExp(pattern));
  const bound = lastBound(pattern);
  const lengthened = fc.tuple(valid, fc.constantFrom(bound, bound + 1)).map(([text, length]) => {
    return text + (text.at(-1) ?? "").repeat(Math.max(0, length - text.length));
  });
  const changed = fc
    .tuple(valid, fc.nat(), fc.oneof(character, fc.constantFrom("0", "9", "-", ":", ".", "f")))
    .chain(([text, at, one]) => {
      const position = at % (text.length + 1);
      const [before, after] = [text.slice(0, position), text.slice(position)];
      return fc.constantFrom(before + one + after, before + one + after.slice(1), before + after.slice(1));
    });
  const decorated = valid.chain((text) =>
    fc.constantFrom(`${text}\n`, ` ${text}`, text.toLowerCase(), text.toUpperCase()),
  );
  return { valid: fc.oneof(valid, lengthened), near: fc.oneof(changed, changed, decorated, wrongTypes) };
};

const numbers = ({ type, minimum = -(2 ** 53), maximum = 2 ** 53 }: Schema): Values => {
  // Beyond 2^53 a double is not exact: 4,096 is one step at 2^63.
  const step = (bound: number) => (Math.abs(bound) > 2 ** 53 ? 4_096 : 1);
  const inRange = (bound: number) => Math.max(-(2 ** 53), Math.min(2 ** 53, bound));
  const inside = fc.integer({ min: Math.max(minimum, -(2 ** 53) + 1), max: Math.min(maximum, 2 ** 53 - 1) });
  const within = fc.constantFrom(minimum + step(minimum), maximum - step(maximum));
  return {
    valid:
      type === "integer"
        ? fc.oneof(inside, within, fc.constantFrom(inRange(minimum), inRange(maximum)))
        : fc.double({ min: minimum, max: maximum, noNaN: true }),
    near: fc.oneof(
      fc.constantFrom(minimum - step(minimum), maximum + step(maximum), -0.5, 1e300, -1e300),
      inside.chain((one) => fc.constantFrom(one + 0.5, String(one), `+${one}`, ` ${one}`, `${one}.5`, `${one}n`)),
      wrongTypes,
    ),
  };
};

const listed = (words: readonly unknown[]): Values => ({
  valid: fc.constantFrom(...words),
  near: fc.oneof(
    fc
      .constantFrom(...words.map(String))
      .chain((word) =>
        fc.constantFrom(
          word.toLowerCase(),
          word.toUpperCase(),
          `${word} `,
          `${word}s`,
          word.slice(1),
          word.replace(/[sS]/, "ſ"),
          word.replace(/[iI]/, "ı"),
          word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase(),
        ),
      ),
    wrongTypes,
  ),
});

const alternatives = (all: readonly Values[]): Values => ({
  valid: fc.oneof(...all.map(({ valid }) => valid).filter((one) => one !== undefined)),
  near: fc.oneof(...all.map(({ near }) => near)),
});

const lists = ({ minItems = 0, maxItems = minItems + 5 }: Schema, { valid = wrongTypes, near }: Values): Values => {
  const of = (length: number) => valid.map((item) => Array.from({ length: Math.max(0, length) }, () => item));
  const some = fc.array(valid, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
  return {
    valid: fc.oneof(some, of(maxItems)),
    near: fc.oneof(
      of(minItems - 1),
      of(maxItems + 1),
      fc.tuple(some, near).map(([items, one]) => [...items, one]),
      wrongTypes,
    ),
  };
};

const objects = ({ required = [] }: Schema, properties: Readonly<Record<string, Values>>): Values => {
  const possible = Object.entries(properties).flatMap(([name, { valid }]) => (valid ? [[name, valid] as const] : []));
  const valid = fc.record(Object.fromEntries(possible), { requiredKeys: required, noNullPrototype: true });
  const deviations = Object.entries(properties).map(([name, { near }]) =>
    fc.tuple(valid, near).map(([one, value]) => ({ ...one, [name]: value })),
  );
  const without = required.map((name) => valid.map(({ [name]: _, ...others }) => others));
  const extended = fc.tuple(valid, key, json).map(([one, name, value]) => ({ [name]: value, ...one }));
  return { valid: fc.oneof(valid, extended), near: fc.oneof(...deviations, ...deviations, ...without, wrongTypes) };
};

/** Of an object of which each branch requires one property: a schema for each, without the properties of the others. */
const oneOfTheProperties = ({ oneOf = [], properties = {}, required = [], ...schema }: Schema): Schema[] => {
  const chosen = oneOf.flatMap((branch) => branch.required ?? []);
  return chosen.map((name) => ({
    ...schema,
    required: [...required, name],
    properties: Object.fromEntries(
      Object.entries(properties).filter(([other]) => other === name || !chosen.includes(other)),
    ),
  }));
};

/** @param resolve the schema of a reference. */
export const valuesOf = (schema: Schema, resolve: (ref: string) => Schema): Values => {
  const of = (one: Schema) => valuesOf(one, resolve);
  if (schema.$ref !== undefined) return of(resolve(schema.$ref));
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined && schema.properties !== undefined)
    return alternatives(oneOfTheProperties(schema).map(of));
  if (branches !== undefined) return alternatives(branches.map(of));
  if (schema.const !== undefined) return listed([schema.const]);
  if (schema.enum !== undefined) return listed(schema.enum);
  if (schema.type === "string") {
    if (schema.pattern === undefined) return texts(schema);
    return schema.pattern.includes("\\p{") ? matchingClasses(schema, schema.pattern) : matching(schema.pattern);
  }
  if (schema.type === "integer" || schema.type === "number") return numbers(schema);
  if (schema.type === "boolean") return { valid: fc.boolean(), near: wrongTypes };
  if (schema.type === "array") return lists(schema, of(schema.items ?? {}));
  if (schema.properties !== undefined) {
    const properties = Object.entries(schema.properties).map(([name, one]) => [name, of(one)] as const);
    return objects(schema, Object.fromEntries(properties));
  }
  if (schema.type === "object") {
    const forbidden = fc.dictionary(fc.constant("__proto__"), json, { minKeys: 1 });
    return { valid: fc.dictionary(key, json, { maxKeys: 3 }), near: fc.oneof(wrongTypes, forbidden) };
  }
  return { valid: schema.not === undefined ? json : undefined, near: json };
};
