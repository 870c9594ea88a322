/**
 * Which facts of an hour an own rule counts, and in which group. All rules of an hour share its columns: each field of the
 * facts is read once, and equal values are one object, so a rule compares no texts. Pure.
 */
import { createNetworkMatcher } from "../../terms/cidr.ts";
import { networkOf } from "../../terms/ip-address.ts";
import type { Fact } from "../evidence/fact.ts";
import type { Definition, Filter, GroupField } from "./custom-rule.ts";

/** A value that facts have in common. `hash`: what is carried of it into later hours. */
export type Value = { readonly text: string; readonly hash: string };

/**
 * A field of all facts. `ids`: by the fact's index, the index of its value among `distinct`, or NO_VALUE. Typed arrays: rules
 * look at each fact several times.
 */
type Column = { readonly ids: Int32Array; readonly distinct: readonly Value[] };

export const NO_VALUE = -1;

/** The fields of filters. `networks` are compared with the address as it is, groups with its network. */
const filterFields = {
  eventTypes: ({ type }: Fact) => type,
  categories: ({ category }: Fact) => category,
  sources: ({ source }: Fact) => source,
  levels: ({ riskLevel }: Fact) => riskLevel,
  userIds: ({ userId }: Fact) => userId,
  resourceTypes: ({ resourceType }: Fact) => resourceType,
  errorCodes: ({ errorCode }: Fact) => errorCode,
  networks: ({ ipAddress }: Fact) => ipAddress,
} as const satisfies { [Name in Exclude<keyof Filter, "success">]: (fact: Fact) => string | undefined };

const createValue = (text: string, hashOf: (text: string) => string): Value => {
  let hash: string | undefined;
  return {
    text,
    get hash() {
      hash ??= hashOf(text);
      return hash;
    },
  };
};

type FilterField = keyof typeof filterFields;
const filterFieldNames = Object.keys(filterFields) as FilterField[];

export type Columns = ReturnType<typeof createColumns>;

/** @param facts in order of time. @param hashOf the hash of a text. */
export const createColumns = (facts: readonly Fact[], hashOf: (text: string) => string) => {
  const columns = new Map<string, Column>();

  const read = (fieldOf: (fact: Fact) => string | undefined, toText: (text: string) => string): Column => {
    const idByField = new Map<string, number>();
    const idByText = new Map<string, number>();
    const distinct: Value[] = [];
    const idOf = (field: string): number => {
      const text = toText(field);
      const id = idByText.get(text) ?? distinct.length;
      if (id === distinct.length) distinct.push(createValue(text, hashOf));
      idByText.set(text, id);
      idByField.set(field, id);
      return id;
    };
    const ids = new Int32Array(facts.length).fill(NO_VALUE);
    for (const [index, fact] of facts.entries()) {
      const field = fieldOf(fact);
      if (field !== undefined) ids[index] = idByField.get(field) ?? idOf(field);
    }
    return { ids, distinct };
  };

  /** Each field is read once. */
  const once = (name: string, readColumn: () => Column): Column => {
    const column = columns.get(name) ?? readColumn();
    columns.set(name, column);
    return column;
  };

  const asItIs = (text: string): string => text;
  const times = new Float64Array(facts.length);
  const weights = new Float64Array(facts.length);
  for (const [index, fact] of facts.entries()) {
    times[index] = fact.at;
    weights[index] = weightOf(fact);
  }

  return {
    facts,
    times,
    weights,
    /** The field of a filter. */
    filtered: (field: FilterField): Column => once(field, () => read(filterFields[field], asItIs)),
    /** The field by which facts are counted apart. IPv6 addresses of one /64 are one value. */
    grouped: (field: GroupField): Column =>
      once(`group ${field}`, () => read((fact) => fact[field], field === "ipAddress" ? networkOf : asItIs)),
  };
};

/** Of each value among `distinct`, 1 if a filter's field asks for it. A count of a flood has a network for an address. */
const wantedOf = (field: FilterField, list: readonly string[], { distinct }: Column): Uint8Array => {
  const isWanted = field === "networks" ? createNetworkMatcher(list) : (text: string) => list.includes(text);
  return Uint8Array.from(distinct, ({ text }) => (isWanted(text) ? 1 : 0));
};

/**
 * The indexes of the facts that match all fields of a filter, and have the field whose distinct values are counted. An empty
 * list matches no fact.
 */
export const matching = (columns: Columns, filter: Filter, distinct?: GroupField): Int32Array => {
  const { facts } = columns;
  const tests = filterFieldNames.flatMap((field) => {
    const list = filter[field];
    if (list === undefined) return [];
    const column = columns.filtered(field);
    return [{ ids: column.ids, wanted: wantedOf(field, list, column) }];
  });
  const { success } = filter;
  const needed = distinct && columns.grouped(distinct).ids;
  const found = new Int32Array(facts.length);
  let count = 0;
  for (let index = 0; index < facts.length; index++) {
    if (success !== undefined && facts[index]?.success !== success) continue;
    if (needed !== undefined && needed[index] === NO_VALUE) continue;
    let isMatching = true;
    for (const { ids, wanted } of tests) if (wanted[ids[index] ?? NO_VALUE] !== 1) isMatching = false;
    if (isMatching) found[count++] = index;
  }
  return found.subarray(0, count);
};

/** A count of a flood weighs as many events as it stands for. */
export const weightOf = ({ failures = 1 }: Fact): number => failures;

/** The field whose distinct values a rule counts; undefined if it counts events. */
export const distinctField = ({ measure }: Pick<Definition, "measure">): GroupField | undefined =>
  measure === "count" ? undefined : measure.distinct;
