import type { TableModel } from "../template/model.ts";

/** Deletes every item whose TTL attribute is at or before the time; answers the number deleted by table name. */
export const sweepExpired = (
  _endpoint: string,
  _tables: readonly TableModel[],
  _nowMs: number,
): Promise<Record<string, number>> => Promise.reject(new Error("being built"));
