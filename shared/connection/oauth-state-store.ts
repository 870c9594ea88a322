import { createHash } from "node:crypto";
import { newRequestToken } from "../runtime/ids.ts";
import { deleteItem, putItem, type Table } from "../runtime/table.ts";

/** The mark stays this long after its state has expired, because clocks differ. */
const MARGIN_SECONDS = 3_600;

/** `id`: the digest of the state; `owner`: the call that used it; `ttl`: epoch seconds. */
const keyOf = (state: string) => ({ id: `state#${createHash("sha256").update(state).digest("base64url")}` });

export type OAuthStateStore = ReturnType<typeof createOAuthStateStore>;

/** The used OAuth states. One write unit a call; both throw DomainError `store_unavailable`. */
export const createOAuthStateStore = (table: Table<"connections">) => ({
  /**
   * Marks a state as used.
   * @param expiresAt when the state expires, in epoch ms.
   * @returns the mark, for `release`; undefined if the state was used before.
   */
  async markUsed(state: string, expiresAt: number): Promise<string | undefined> {
    const owner = newRequestToken();
    const { written } = await putItem(
      table,
      { ...keyOf(state), owner, ttl: Math.ceil(expiresAt / 1000) + MARGIN_SECONDS },
      { condition: "attribute_not_exists(#owner)", own: "owner" },
    );
    return written ? owner : undefined;
  },

  /** Removes the mark, so that the state is valid again. */
  async release(state: string, mark: string): Promise<void> {
    await deleteItem(table, keyOf(state), { condition: "#owner = :mark", values: { mark } });
  },
});
