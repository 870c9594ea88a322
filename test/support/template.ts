/** What tests ask a synthesised template. The CDK's own assertions answer the same, but load for seconds in jest. */
import { expect } from "@jest/globals";
import { readTemplates } from "../../infra/flat-template.ts";

/** Any JSON, without a type: tests read what they have just looked for. */
type Json = ReturnType<typeof JSON.parse>;
type Resources = Record<string, Json>;
export type Template = ReturnType<typeof templateIn>;

const isMatcher = (wanted: object): wanted is { asymmetricMatch(found: unknown): boolean } =>
  "asymmetricMatch" in wanted;

/** Whether a value has at least these properties at any depth; lists have no other elements. Matchers of jest decide themselves. */
const hasAll = (found: unknown, wanted: unknown): boolean => {
  if (typeof wanted !== "object" || wanted === null) return found === wanted;
  if (isMatcher(wanted)) return wanted.asymmetricMatch(found);
  if (typeof found !== "object" || found === null || Array.isArray(found) !== Array.isArray(wanted)) return false;
  if (Array.isArray(wanted) && wanted.length !== Object.keys(found).length) return false;
  return Object.entries(wanted).every(([key, value]) => hasAll(Reflect.get(found, key), value));
};

/** The flat template of an assembly: functions are in nested stacks. @param directory the assembly's */
export const templateIn = (directory: string) => {
  const flat = readTemplates(directory).flat as { Resources: Resources; Outputs: Resources };

  const findResources = (type: string, wanted: object = {}): Resources =>
    Object.fromEntries(
      Object.entries(flat.Resources).filter(([, resource]) => resource.Type === type && hasAll(resource, wanted)),
    );
  const allResources = (type: string, wanted: object): void => {
    const all = findResources(type);
    expect(all).not.toEqual({});
    const others = Object.entries(all).filter(([, resource]) => !hasAll(resource, wanted));
    expect(others).toEqual([]);
  };

  return {
    toJSON: () => flat,
    /** By logical id. @param wanted what a resource must have: `{ Properties: { … } }` */
    findResources,
    hasResourceProperties(type: string, wanted: object): void {
      const all = Object.values(findResources(type)).map(({ Properties }) => Properties);
      if (!all.some((one) => hasAll(one, wanted))) expect(all).toContainEqual(wanted);
    },
    allResources,
    allResourcesProperties: (type: string, wanted: object): void => allResources(type, { Properties: wanted }),
    resourceCountIs: (type: string, count: number) => expect(Object.keys(findResources(type))).toHaveLength(count),
    hasOutput: (name: string, wanted: object) => expect(flat.Outputs[name]).toMatchObject(wanted),
    outputs: () => flat.Outputs,
  };
};
