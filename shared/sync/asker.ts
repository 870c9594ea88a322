import type { OrganizationCaller } from "../terms/caller.ts";
import type { Origin } from "../terms/requester.ts";
import type { Asker } from "./sync-item.ts";

/** Who asked for a run, as its events name them. */
export const askerOf = ({
  caller: { userId, sessionId },
  origin: { ipAddress, userAgent },
}: {
  caller: Pick<OrganizationCaller, "userId" | "sessionId">;
  origin: Origin;
}): Asker => ({
  ...{ userId, ipAddress },
  ...(sessionId !== undefined && { sessionId }),
  ...(userAgent !== undefined && { userAgent }),
});
