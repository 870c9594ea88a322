import { DomainError } from "../runtime/domain-error.ts";

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
};

/**
 * The named parameters of a query string, decoded; others are ignored. Read from the raw text, because the HTTP API
 * joins repeated parameters with commas.
 * @throws DomainError `invalid_field` where a named one is given twice, is empty or is not well encoded.
 */
export const parseQuery = (rawQueryString: string, names: readonly string[]): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const pair of rawQueryString.split("&")) {
    const [encodedName = "", ...rest] = pair.split("=");
    const name = decode(encodedName);
    if (name === undefined || !names.includes(name)) continue;
    const value = decode(rest.join("="));
    if (Object.hasOwn(found, name)) throw new DomainError("invalid_field", `${name}: expected to be given once`);
    if (value === undefined) throw new DomainError("invalid_field", `${name}: expected well-formed percent-encoding`);
    if (value === "") throw new DomainError("invalid_field", `${name}: expected a value`);
    found[name] = value;
  }
  return found;
};
