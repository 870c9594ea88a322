/** GET …/mutes and GET …/mutes/{id}. */
import type { Clock } from "../runtime/clock.ts";
import { muteNotFound } from "./end-mute.ts";
import type { Mute } from "./mute.ts";
import { toMute } from "./mute-item.ts";
import type { MuteStore } from "./mute-store.ts";

type Dependencies = { mutes: Pick<MuteStore, "list" | "read">; now: Clock };

/** All throw DomainError `store_unavailable`. */
export const createReadMutes = ({ mutes, now }: Dependencies) => ({
  /** Newest first. `after`: the last mute of the page before. */
  async list(organizationId: string, { limit, after }: { limit: number; after: { id: string } | undefined }) {
    const at = now();
    const { items, next } = await mutes.list(organizationId, { limit, after: after?.id, now: at });
    return { items: items.map((one) => toMute(one, at)), next: next === undefined ? undefined : { id: next } };
  },

  /** @throws DomainError `mute_not_found`. */
  async get(organizationId: string, id: string): Promise<Mute> {
    const at = now();
    const mute = await mutes.read(organizationId, id, at);
    if (mute === undefined) throw muteNotFound();
    return toMute(mute, at);
  },
});
