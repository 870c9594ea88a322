/** Which facts an own rule counts, and in which group. Pure. */
import { isInNetworks } from "../../terms/cidr.ts";
import { networkOf } from "../../terms/ip-address.ts";
import type { Fact } from "../evidence/fact.ts";
import type { Definition, Filter, GroupField } from "./custom-rule.ts";

/** Computes a function of a text once for each text. */
const remembering = <Value>(compute: (text: string) => Value): ((text: string) => Value) => {
  const values = new Map<string, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = compute(text);
    values.set(text, value);
    return value;
  };
};

type Test = (fact: Fact) => boolean;

const oneOf = (values: readonly string[] | undefined, fieldOf: (fact: Fact) => string | undefined): Test[] => {
  if (values === undefined) return [];
  const wanted = new Set(values);
  return [
    (fact) => {
      const value = fieldOf(fact);
      return value !== undefined && wanted.has(value);
    },
  ];
};

/** Whether a fact matches all fields of a filter. An empty list matches no fact. */
export const createMatcher = (filter: Filter): Test => {
  const { success, networks } = filter;
  const isInside = remembering((address) => isInNetworks(address, networks ?? []));
  const tests: readonly Test[] = [
    ...oneOf(filter.eventTypes, ({ type }) => type),
    ...oneOf(filter.categories, ({ category }) => category),
    ...oneOf(filter.sources, ({ source }) => source),
    ...oneOf(filter.levels, ({ riskLevel }) => riskLevel),
    ...(success === undefined ? [] : [(fact: Fact) => fact.success === success]),
    ...oneOf(filter.userIds, ({ userId }) => userId),
    ...oneOf(filter.resourceTypes, ({ resourceType }) => resourceType),
    ...oneOf(filter.errorCodes, ({ errorCode }) => errorCode),
    ...(networks === undefined ? [] : [({ ipAddress }: Fact) => ipAddress !== undefined && isInside(ipAddress)]),
  ];
  return (fact) => tests.every((test) => test(fact));
};

/** The value of a field by which facts are counted apart. IPv6 addresses of one /64 are one value. */
export const createReadValue = () => {
  const networkOfAddress = remembering(networkOf);
  return (fact: Fact, field: GroupField): string | undefined =>
    field === "ipAddress" ? fact.ipAddress && networkOfAddress(fact.ipAddress) : fact[field];
};

export type ReadValue = ReturnType<typeof createReadValue>;

/** A count of a flood weighs as many events as it stands for. */
export const weightOf = ({ failures = 1 }: Fact): number => failures;

/** The field whose distinct values a rule counts; undefined if it counts events. */
export const distinctField = ({ measure }: Pick<Definition, "measure">): GroupField | undefined =>
  measure === "count" ? undefined : measure.distinct;
