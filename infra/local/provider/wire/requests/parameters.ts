import { invalidParameter } from "./answer.ts";

/** A parameter as it came: `created[gte]` has the name `created` and the key `gte`, `types[0]` the key `0`. */
type Parameter = { name: string; key: string | undefined; value: string };

/** The parameters of a request. It notes which were read, so that unknown ones can be refused. */
export type Parameters = {
  text(name: string): string | undefined;
  /** @throws RefusedError unless it is a whole number. */
  integer(name: string): number | undefined;
  /** `name[]=a&name[]=b` or `name[0]=a&name[1]=b`. */
  list(name: string): string[];
  /** `name[key]=value`, for these keys. */
  nested<Key extends string>(name: string, keys: readonly Key[]): Partial<Record<Key, string>>;
  /** @throws RefusedError for a parameter that was not read. */
  requireAllRead(): void;
};

/** @throws RefusedError unless it is a whole number. */
export const integerOf = (name: string, value: string): number => {
  if (!/^-?\d{1,15}$/.test(value))
    throw invalidParameter(name, `Invalid integer: ${value}`, "parameter_invalid_integer");
  return Number(value);
};

/** Reads parameters from a query or a form. */
export const readParameters = (search: URLSearchParams): Parameters => {
  const all: Parameter[] = [...search].map(([full, value]) => {
    const [, name = full, key] = /^([^[]+)(?:\[([^\]]*)\])?$/.exec(full) ?? [];
    return { name, key, value };
  });
  const read = new Set<Parameter>();
  const take = (wanted: (one: Parameter) => boolean) => {
    const found = all.filter(wanted);
    for (const one of found) read.add(one);
    return found;
  };
  const text = (name: string) => take((one) => one.name === name && one.key === undefined).at(-1)?.value;
  return {
    text,
    integer(name) {
      const value = text(name);
      return value === undefined ? undefined : integerOf(name, value);
    },
    list: (name) => take((one) => one.name === name && /^\d*$/.test(one.key ?? "no list")).map(({ value }) => value),
    nested<Key extends string>(name: string, keys: readonly Key[]) {
      const found: Partial<Record<Key, string>> = {};
      for (const key of keys) {
        const value = take((one) => one.name === name && one.key === key).at(-1)?.value;
        if (value !== undefined) found[key] = value;
      }
      return found;
    },
    requireAllRead() {
      const unread = all.find((one) => !read.has(one));
      if (unread !== undefined)
        throw invalidParameter(unread.name, `Received unknown parameter: ${unread.name}`, "parameter_unknown");
    },
  };
};
