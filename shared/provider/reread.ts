/** Reads single objects for apply (shared/records/apply.ts). */
import type { Reread } from "../records/apply.ts";
import { isOptional, type RecordType } from "../records/record.ts";
import { isExact, setAside } from "../records/set-aside.ts";
import type { Provider } from "./provider.ts";
import { isUnreadable, ProviderError } from "./provider-error.ts";

/**
 * Reads objects; an object is set aside if the provider rejects the request for it (another request may succeed), or if
 * its id cannot be written as the provider knows it: an answer about another id proves nothing. Undefined for an object of
 * an optional type that the credentials may not read: after a refusal, no further object of the type is read.
 * @param isLeftOut whether an optional type was refused so lately that it is not asked for.
 * @param noteRefused stores that a type was refused, for others and for later.
 */
export const rereadWith = (
  readObject: Provider["readObject"],
  isLeftOut: (type: RecordType) => boolean | Promise<boolean>,
  noteRefused: (type: RecordType) => Promise<void>,
): Reread => {
  const refused = new Set<RecordType>();
  return async (type, id) => {
    if (!isExact(id)) return setAside(type, id, "unreadable");
    if (isOptional(type) && (refused.has(type) || (await isLeftOut(type)))) return undefined;
    try {
      return await readObject(type, id);
    } catch (error) {
      if (isOptional(type) && isUnreadable(error)) {
        refused.add(type);
        await noteRefused(type);
        return undefined;
      }
      if (error instanceof ProviderError && error.kind === "validation") return setAside(type, id, "unreadable");
      throw error;
    }
  };
};
