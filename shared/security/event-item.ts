/** Security events as items of the event table: keys, sparse index keys, expiry, and metadata as JSON text. */
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { organizationKey, unownedKey } from "../terms/keys.ts";
import { indexKeysOf } from "./event-indexes.ts";
import { SecurityEvent } from "./security-event.ts";

/** The partition of an event. */
export const scopeOf = ({
  organizationId,
  ipAddress,
  id,
}: Pick<SecurityEvent, "organizationId" | "ipAddress" | "id">) =>
  organizationId === undefined ? unownedKey(ipAddress ?? id) : organizationKey(organizationId);

const Metadata = z.object({ durationMs: z.optional(z.number()) });

/**
 * The item of an event. `ms` repeats metadata.durationMs where an index can hold it.
 * @param ttl epoch seconds.
 */
export const toItem = (event: SecurityEvent, ttl: number): Record<string, unknown> => {
  const { metadata, ...fields } = event;
  return {
    ...fields,
    ...(metadata !== undefined && {
      metadata: encodeJson(metadata),
      ms: Metadata.safeParse(metadata).data?.durationMs,
    }),
    ...indexKeysOf(event),
    scope: scopeOf(event),
    ttl,
  };
};

const Item = z.extend(SecurityEvent, { metadata: z.optional(z.string()) });

/** @throws ZodError where an item is none that toItem made. */
export const fromItem = (item: unknown): SecurityEvent => {
  const { metadata, ...fields } = Item.parse(item);
  return metadata === undefined ? fields : { ...fields, metadata: JSON.parse(metadata) };
};
