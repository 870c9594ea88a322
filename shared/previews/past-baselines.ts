/** The baselines of a preview, in memory: they begin empty before the period, and get each day as detection adds it. */
import type { BaselineStore, StoredBaseline, StoredUserBaseline } from "../detection/baseline-store.ts";

/** A value of JSON, for checkpoints. `users` by their hash. */
export type PastBaselines = {
  organization?: StoredBaseline | undefined;
  users: Record<string, StoredUserBaseline>;
};

/**
 * A store for `createBaselines` that changes `past`.
 * @param sinceOfUsers the first counted hour of users that were counted before the preview's first hour.
 */
export const createPastBaselineStore = (
  past: PastBaselines,
  sinceOfUsers: Readonly<Record<string, number>>,
): Pick<BaselineStore, "get" | "getUsers" | "put" | "putUser"> => ({
  get: async () => past.organization,
  getUsers: async (_scope, hashes) =>
    new Map(
      hashes.flatMap((hash) => {
        const since = sinceOfUsers[hash];
        const counted =
          past.users[hash] ?? (since === undefined ? undefined : { history: { since, days: [] }, through: "" });
        return counted === undefined ? [] : [[hash, counted] as const];
      }),
    ),
  async put(_scope, baseline) {
    past.organization = baseline;
    return true;
  },
  async putUser(_scope, hash, baseline) {
    past.users[hash] = baseline;
    return true;
  },
});
