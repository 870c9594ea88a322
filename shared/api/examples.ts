/** The examples of the OpenAPI document, which `npm run examples` records from the running service. */
import examples from "./examples.json" with { type: "json" };

type Part = "request" | "response";

const recorded: Readonly<Record<string, Readonly<Record<string, Readonly<Partial<Record<Part, unknown>>>>>>> = examples;

/** The examples of an operation's request or success, by name, as OpenAPI has them; nothing if there are none. */
export const examplesOf = (operationId: string, part: Part) => {
  const found = Object.entries(recorded[operationId] ?? {}).filter(([, example]) => example[part] !== undefined);
  return found.length === 0
    ? {}
    : { examples: Object.fromEntries(found.map(([name, example]) => [name, { value: example[part] }])) };
};
