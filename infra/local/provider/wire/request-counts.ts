/** The requests of one account, by method and path without ids; `peakPerSecond` is the maximum in one second. */
export type RequestCounts = {
  total: number;
  peakPerSecond: number;
  byPath: Record<string, number>;
  byStatus: Record<string, number>;
};

/** The method and the path of a request without ids. */
export const endpointOf = (method: string, path: string): string => {
  const [, version = "", name = "", id, action] = path.split("/");
  if (id === undefined) return `${method} /${version}/${name}`;
  const place = version === "v1" && name !== "oauth" ? "{id}" : id;
  return `${method} /${version}/${name}/${place}${action === undefined ? "" : `/${action}`}`;
};

/** The key for requests without an account. */
const NO_ACCOUNT = "unknown";

/** Counts requests since the start of the simulator. */
export const createRequestCounts = () => {
  const counts = new Map<string, RequestCounts & { second: number; inSecond: number }>();
  const of = (accountId = NO_ACCOUNT) => {
    const known = counts.get(accountId) ?? {
      total: 0,
      peakPerSecond: 0,
      byPath: {},
      byStatus: {},
      second: 0,
      inSecond: 0,
    };
    counts.set(accountId, known);
    return known;
  };
  return {
    count(accountId: string | undefined, method: string, path: string, nowMs: number): void {
      const known = of(accountId);
      const pattern = endpointOf(method, path);
      const second = Math.floor(nowMs / 1000);
      known.inSecond = second === known.second ? known.inSecond + 1 : 1;
      known.second = second;
      known.total++;
      known.peakPerSecond = Math.max(known.peakPerSecond, known.inSecond);
      known.byPath[pattern] = (known.byPath[pattern] ?? 0) + 1;
    },
    /** @param outcome the answer's status, or the fault instead of an answer. */
    countOutcome(accountId: string | undefined, outcome: string): void {
      const { byStatus } = of(accountId);
      byStatus[outcome] = (byStatus[outcome] ?? 0) + 1;
    },
    /** By account id; requests without an account are under `unknown`. */
    all: (): Record<string, RequestCounts> =>
      Object.fromEntries(
        [...counts].map(([accountId, { total, peakPerSecond, byPath, byStatus }]) => [
          accountId,
          { total, peakPerSecond, byPath, byStatus },
        ]),
      ),
  };
};

export type RequestCountsKeeper = ReturnType<typeof createRequestCounts>;
