/** Events outside the tables, such as late ones and archived ones, as items that an erasure empties (erase.ts). Pure. */
import { definedFields } from "../json/defined-fields.ts";
import { encodeJson } from "../json/encode-json.ts";
import type { Item, ItemUpdate } from "../work/location.ts";
import type { StoredSeal } from "./event-item.ts";
import type { SecurityEvent } from "./security-event.ts";

export const toErasableItem = ({ metadata, ...event }: SecurityEvent, seal?: Omit<StoredSeal, "isLate">): Item => ({
  ...event,
  ...definedFields({ metadata: metadata === undefined ? undefined : encodeJson(metadata), ...seal }),
});

/** The item after an update; fromItem and sealOf read it (event-item.ts). */
export const updatedItem = (item: Item, { remove, set }: ItemUpdate): Item =>
  Object.fromEntries(Object.entries({ ...item, ...set }).filter(([name]) => !remove.includes(name)));
