/** Alerts as clients see them: with the mutes that act on them now, and by the mute that ever hid them. */
import type { Clock } from "../runtime/clock.ts";
import type { Alert, AlertPosition } from "../security/alerts/alert.ts";
import { isId } from "../terms/id.ts";
import type { HiddenStore } from "./hidden-store.ts";
import type { MuteStore } from "./mute-store.ts";
import { actingOn } from "./mute-times.ts";

/** A list of one mute reads what it filters out: at most this many pages. */
const MAX_PAGES = 8;

type Dependencies = {
  mutes: Pick<MuteStore, "live">;
  hidden: Pick<HiddenStore, "alertIds">;
  now: Clock;
};

type Page = { items: Alert[]; next: AlertPosition | undefined };
type Paging = { limit: number; after: AlertPosition | undefined };

/** Adds `mutedBy` to alerts on which mutes act. Half a read unit if there are no mutes. @throws DomainError `store_unavailable`. */
export const createWithMutes =
  ({ mutes, now }: Pick<Dependencies, "mutes" | "now">) =>
  async <Shown extends Alert>(organizationId: string, alerts: readonly Shown[]): Promise<Shown[]> => {
    const live = await mutes.live(organizationId);
    return alerts.map((alert) => {
      const mutedBy = actingOn(live, alert, now()).map(({ mute }) => mute.id);
      return mutedBy.length === 0 ? alert : { ...alert, mutedBy };
    });
  };

/**
 * The returned function lists alerts with `mutedBy`. Of one mute, a page may be short or empty and still have a next one.
 * @param list a page of the organization's alerts, newest first.
 */
export const createListMutedAlerts = (dependencies: Dependencies) => {
  const withMutes = createWithMutes(dependencies);

  const listHidden = async (
    ids: ReadonlySet<string>,
    paging: Paging,
    list: (page: Paging) => Promise<Page>,
  ): Promise<Page> => {
    const items: Alert[] = [];
    let { after } = paging;
    for (let pages = 0; ids.size > 0; pages++) {
      const page = await list({ ...paging, after });
      items.push(...page.items.filter(({ id }) => ids.has(id)));
      after = page.next;
      if (items.length > paging.limit) {
        const kept = items.slice(0, paging.limit);
        const last = kept.at(-1);
        return { items: kept, next: last && { firstSeen: last.firstSeen, id: last.id } };
      }
      if (after === undefined || pages === MAX_PAGES) return { items, next: after };
    }
    return { items, next: undefined };
  };

  return async (
    organizationId: string,
    { mutedBy, ...paging }: Paging & { mutedBy?: string | undefined },
    list: (page: Paging) => Promise<Page>,
  ): Promise<Page> => {
    if (mutedBy === undefined) {
      const { items, next } = await list(paging);
      return { items: await withMutes(organizationId, items), next };
    }
    const ids = isId(mutedBy) ? await dependencies.hidden.alertIds(organizationId, mutedBy) : new Set<string>();
    const { items, next } = await listHidden(ids, paging, list);
    return { items: await withMutes(organizationId, items), next };
  };
};
