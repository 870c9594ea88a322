import type { CreatedBounds } from "../../store/read-page.ts";
import { type Answer, missing } from "./answer.ts";
import { readListRequest } from "./list-request.ts";
import type { Parameters } from "./parameters.ts";

type Listed = { id: string; created: number };

const isWithin = ({ gt, gte, lt, lte }: CreatedBounds, { created }: Listed): boolean =>
  created > (gt ?? -1) &&
  created >= (gte ?? 0) &&
  created < (lt ?? Number.POSITIVE_INFINITY) &&
  created <= (lte ?? Number.POSITIVE_INFINITY);

/** A page of a list that fits into memory, in the order given. @throws RefusedError for an unknown cursor. */
export const listShort = (
  all: readonly Listed[],
  parameters: Parameters,
  { type, url }: { type: string; url: string },
): Answer => {
  const { limit, created, after, before } = readListRequest(parameters);
  parameters.requireAllRead();
  const cursor = after ?? before;
  const at = all.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && at === -1)
    throw missing({ type, id: cursor, param: after === undefined ? "ending_before" : "starting_after", status: 400 });
  const rest = all
    .slice(after === undefined ? 0 : at + 1, before === undefined ? all.length : at)
    .filter((one) => isWithin(created, one));
  const data = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return { status: 200, body: { object: "list", data, has_more: rest.length > limit, url } };
};
