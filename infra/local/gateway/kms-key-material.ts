import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { readDataFile, writeDataFile } from "../core/data-file.ts";
import type { KeyModel } from "../core/model.ts";

const Kept = z.record(z.string(), z.object({ material: z.base64(), createdAt: z.int() }));

/**
 * The material of each key by its id. It is generated at the first start with the key and kept in the data directory,
 * because the directory also keeps the data that it encrypted. Only the owner can read the file.
 * @throws Error if the file is damaged.
 */
export const openKeyMaterial = (options: {
  keys: readonly KeyModel[];
  dataDirectory: string;
  clock: Pick<Clock, "now">;
}): ReadonlyMap<string, Buffer> => {
  const file = join(options.dataDirectory, "kms-keys.json");
  const kept = readDataFile(file, Kept) ?? {};
  const missing = options.keys.filter(({ id }) => !Object.hasOwn(kept, id));
  for (const { id } of missing)
    kept[id] = { material: randomBytes(32).toString("base64"), createdAt: options.clock.now() };
  if (missing.length > 0) writeDataFile(file, kept, 0o600);
  return new Map(Object.entries(kept).map(([id, { material }]) => [id, Buffer.from(material, "base64")]));
};
