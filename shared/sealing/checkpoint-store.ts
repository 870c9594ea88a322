import { text } from "node:stream/consumers";
import { writeLog } from "../runtime/log.ts";
import type { ObjectStore } from "../runtime/object-store.ts";

const DIGITS = 12;
const PREFIX = "checkpoints/";

/** Keys sort by size. They name no organization. */
const checkpointKey = (size: number): string => PREFIX + String(size).padStart(DIGITS, "0");

const headers = { contentType: "text/plain; charset=utf-8" };

export type CheckpointStore = ReturnType<typeof createCheckpointStore>;

/**
 * The signed checkpoints, by their sizes, in a bucket of their own. All calls throw DomainError `store_unavailable`.
 * @param copies a bucket of another account that gets a copy of each.
 */
export const createCheckpointStore = (
  objects: Pick<ObjectStore, "put" | "read" | "list">,
  copies?: Pick<ObjectStore, "put"> | undefined,
) => ({
  /** Stores a checkpoint, again the same. A copy that fails is logged, and does not hold the log up. */
  async put(size: number, checkpoint: string): Promise<void> {
    await objects.put(checkpointKey(size), checkpoint, headers);
    await copies?.put(checkpointKey(size), checkpoint, headers).catch((error: unknown) => {
      writeLog("error", "A checkpoint was not copied", { alarm: "checkpoint_not_copied", size, cause: String(error) });
    });
  },

  /** The checkpoint of a size; undefined if there is none. */
  async read(size: number): Promise<string | undefined> {
    const body = await objects.read(checkpointKey(size));
    return body && text(body);
  },

  /** The sizes that have a checkpoint, in order. One list of S3 per 1,000. */
  async listSizes(): Promise<number[]> {
    const keys: string[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await objects.list(PREFIX, keys.at(-1));
      keys.push(...page.objects.map(({ key }) => key));
      isLast = page.isLast;
    }
    return keys.map((key) => Number(key.slice(PREFIX.length)));
  },
});
