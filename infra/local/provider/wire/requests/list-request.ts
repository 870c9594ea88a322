import type { CreatedBounds } from "../../store/read-page.ts";
import { invalidParameter } from "./answer.ts";
import { integerOf, type Parameters } from "./parameters.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const BOUNDS = ["gt", "gte", "lt", "lte"] as const;

/** The parameters of every list. */
export type ListRequest = { limit: number; after?: string; before?: string; created: CreatedBounds };

const readLimit = (parameters: Parameters): number => {
  const limit = parameters.integer("limit") ?? DEFAULT_LIMIT;
  const wrong = (word: string, bound: number) =>
    invalidParameter("limit", `This value must be ${word} than or equal to ${bound} (it currently is '${limit}').`);
  if (limit < 1) throw wrong("greater", 1);
  if (limit > MAX_LIMIT) throw wrong("less", MAX_LIMIT);
  return limit;
};

const readCreated = (parameters: Parameters): CreatedBounds => {
  const exactly = parameters.integer("created");
  if (exactly !== undefined) return { gte: exactly, lte: exactly };
  const bounds = parameters.nested("created", BOUNDS);
  const created: CreatedBounds = {};
  for (const bound of BOUNDS) {
    const value = bounds[bound];
    if (value !== undefined) created[bound] = integerOf(`created[${bound}]`, value);
  }
  return created;
};

/** @throws RefusedError that names the parameter that is wrong. */
export const readListRequest = (parameters: Parameters): ListRequest => {
  const limit = readLimit(parameters);
  const created = readCreated(parameters);
  const [after, before] = [parameters.text("starting_after"), parameters.text("ending_before")];
  if (after !== undefined && before !== undefined)
    throw invalidParameter(
      "ending_before",
      "You can only specify one of these parameters: ending_before, starting_after.",
    );
  for (const [name, value] of Object.entries({ starting_after: after, ending_before: before }))
    if (value === "")
      throw invalidParameter(
        name,
        `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`,
        "parameter_invalid_empty",
      );
  return {
    limit,
    created,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  };
};
