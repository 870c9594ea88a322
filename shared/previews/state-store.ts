import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod/mini";
import { inParallel } from "../runtime/in-parallel.ts";
import { deleteItem, getItem, putItem, type Table } from "../runtime/table.ts";
import { organizationKey } from "../terms/keys.ts";
import type { PreviewWork } from "./preview-item.ts";

/** Below the 400 KB of an item. */
const PART_BYTES = 380_000;
const AT_ONCE = 4;

const Part = z.object({ bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array) });

const partKey = (organizationId: string, id: string, token: string, number: number) => ({
  scope: organizationKey(organizationId),
  key: `state#${id}#${token}#${String(number).padStart(4, "0")}`,
});

export type StateStore = ReturnType<typeof createStateStore>;

/**
 * The states of checkpoints, which may be larger than one item. A preview names its state by a token, so a state that was
 * not named because the worker crashed is never read, and expires. All calls throw DomainError `store_unavailable`.
 */
export const createStateStore = (
  table: Table<"previews">,
  { newToken, partBytes = PART_BYTES }: { newToken: () => string; partBytes?: number },
) => {
  const eachPart = ({ parts }: Pick<PreviewWork, "parts">, work: (number: number) => Promise<void>): Promise<void> =>
    inParallel(Array.from({ length: parts }).keys(), AT_ONCE, work);

  return {
    /**
     * Stores a state: a write unit per KB after compression.
     * @param state a value of JSON. @param expiresAt epoch ms. @returns its name.
     */
    async put(
      organizationId: string,
      id: string,
      state: unknown,
      expiresAt: number,
    ): Promise<Pick<PreviewWork, "token" | "parts">> {
      const compressed = gzipSync(JSON.stringify(state));
      const work = { token: newToken(), parts: Math.ceil(compressed.length / partBytes) };
      const ttl = Math.ceil(expiresAt / 1_000);
      await eachPart(work, async (number) => {
        const bytes = Uint8Array.from(compressed.subarray(number * partBytes, (number + 1) * partBytes));
        await putItem(table, { ...partKey(organizationId, id, work.token, number), bytes, ttl });
      });
      return work;
    },

    /** A read unit per 4 KB. @returns undefined if a part is missing. */
    async read(organizationId: string, id: string, work: PreviewWork): Promise<unknown> {
      const parts: Uint8Array[] = [];
      await eachPart(work, async (number) => {
        const item = await getItem(table, partKey(organizationId, id, work.token, number));
        if (item !== undefined) parts[number] = Part.parse(item).bytes;
      });
      const found = parts.filter((part) => part !== undefined);
      if (found.length < work.parts) return undefined;
      return JSON.parse(gunzipSync(Buffer.concat(found)).toString());
    },

    /** A write unit per KB. */
    delete: (organizationId: string, id: string, work: Pick<PreviewWork, "token" | "parts">): Promise<void> =>
      eachPart(work, async (number) => {
        await deleteItem(table, partKey(organizationId, id, work.token, number));
      }),
  };
};
