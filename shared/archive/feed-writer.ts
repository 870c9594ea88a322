/** Makes the objects of the feed for a SIEM: an hour's events in OCSF. docs/siem.md. */
import type { ObjectStore } from "../runtime/object-store.ts";
import { feedKey } from "../security/feed/feed-hour.ts";
import { toOcsf } from "../security/ocsf/to-ocsf.ts";
import { organizationIdOf } from "../terms/keys.ts";
import { COMPRESSED } from "./line-file.ts";
import type { HourWriter } from "./write-due-hours.ts";

export type FeedWriterDependencies = {
  objects: Pick<ObjectStore, "put" | "delete">;
  region: string;
  /** Whether an organization has switched the feed on. */
  isSwitchedOn(organizationId: string): Promise<boolean>;
};

/** An hour without events has no object: the events of the former one have expired. */
export const createFeedWriter = ({ objects, region, isSwitchedOn }: FeedWriterDependencies): HourWriter => ({
  async fileOf({ scope, hour }) {
    if (!(await isSwitchedOn(organizationIdOf(scope)))) return "none";
    const key = feedKey(region, scope, hour);
    return {
      lineOf: ({ event }) => JSON.stringify(toOcsf(event)),
      async write(body) {
        await (body === undefined ? objects.delete([key]) : objects.put(key, body, COMPRESSED));
        return true;
      },
    };
  },
});
