/** A request as a command of a POSIX shell. The token is a variable that the user sets: no real token is copied. */

/** @param path the path of the API, and its query. Encoded, they have no quotation mark that could end the argument. */
export const curlOf = (origin: string, path: string, query: Readonly<Record<string, unknown>> = {}): string => {
  const url = new URL(path, origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const address = url.href.replaceAll("+", "%20").replaceAll("'", "%27");
  return `curl --header "Authorization: Bearer $TOKEN" '${address}'`;
};
