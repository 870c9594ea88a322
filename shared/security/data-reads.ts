/**
 * Reading records, reports or settings leaves a LOW event of category `data_access`: at most one per user, kind and
 * minute, whatever the number of instances and requests. Decisions: docs/decisions.md, "Security events".
 */

import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import type { Origin } from "../terms/requester.ts";
import type { DataReadStore } from "./data-read-store.ts";
import type { Recorder } from "./recorder.ts";
import type { NewSecurityEvent } from "./security-event.ts";

/** How many reads an instance remembers; a forgotten one costs a write. */
const MAX_REMEMBERED = 1_000;

export type Reading = {
  caller: Pick<OrganizationCaller, "organizationId" | "userId" | "sessionId">;
  origin: Origin;
  /** What was read, lower snake case, in the plural where it is a list: the event's action is `read_<kind>`. */
  kind: string;
  /** Where one of the documented types fits. */
  resourceType?: NonNullable<NewSecurityEvent["resourceType"]>;
};

export type DataReadRecorder = ReturnType<typeof createDataReadRecorder>;

const toEvent = ({ caller, origin, kind, resourceType }: Reading): NewSecurityEvent => ({
  eventType: "DATA_READ",
  category: "data_access",
  riskLevel: "LOW",
  source: "user",
  organizationId: caller.organizationId,
  userId: caller.userId,
  ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }),
  ipAddress: origin.ipAddress,
  ...(origin.userAgent !== undefined && { userAgent: origin.userAgent }),
  ...(resourceType !== undefined && { resourceType }),
  action: `read_${kind}`,
  success: true,
  metadata: { requestId: origin.requestId },
});

/** Records reads for one instance of a function. */
export const createDataReadRecorder = ({
  marks,
  recorder,
  clock,
}: {
  marks: Pick<DataReadStore, "mark">;
  recorder: Pick<Recorder, "record">;
  clock: Clock;
}) => {
  const remembered = new Set<string>();

  /** Whether nobody has recorded it. Where the store cannot tell, twice is better than never. */
  const isFirst = async ({ caller: { organizationId, userId }, kind }: Reading): Promise<boolean> => {
    const minute = Math.floor(clock() / MINUTE_MS) * MINUTE_MS;
    const key = JSON.stringify([organizationId, userId, kind, minute]);
    if (remembered.has(key)) return false;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.add(key);
    try {
      return await marks.mark({ organizationId, userId, kind, minute });
    } catch (error) {
      writeLog("warn", "A read could not be marked and may be recorded twice", { cause: String(error) });
      return true;
    }
  };

  return {
    /** Records that a caller read something, unless the minute has such an event. Never throws. */
    async record(reading: Reading): Promise<void> {
      try {
        if (await isFirst(reading)) await recorder.record(toEvent(reading));
      } catch (error) {
        writeLog("error", "A read was not recorded", { alarm: "event_not_recorded", cause: String(error) });
      }
    },
  };
};
