/**
 * Reading records, reports or settings leaves a LOW event of category `data_access`: one per user, kind and minute,
 * whatever the number of instances and requests. Decisions: docs/decisions.md, "Security events".
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { requesterOf, type UserRequest } from "../terms/requester.ts";
import type { DataReadStore } from "./data-read-store.ts";
import type { Recorder } from "./recorder.ts";
import type { NewSecurityEvent } from "./security-event.ts";

/** How many reads an instance remembers. A forgotten read costs a write. */
const MAX_REMEMBERED = 1_000;

export type DataRead = UserRequest & {
  /** Lower snake case, in the plural for a list: the event's action is `read_<kind>`. */
  kind: string;
  resourceType?: NonNullable<NewSecurityEvent["resourceType"]>;
};

export type DataReadRecorder = ReturnType<typeof createDataReadRecorder>;

const toEvent = ({ caller, origin, kind, resourceType }: DataRead): NewSecurityEvent => ({
  eventType: "DATA_READ",
  category: "data_access",
  riskLevel: "LOW",
  source: "user",
  organizationId: caller.organizationId,
  ...requesterOf({ caller, origin }),
  ...definedFields({ resourceType }),
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

  /** Whether the minute has no event for this read yet. If the store fails, the read is recorded, perhaps twice. */
  const isFirst = async ({ caller: { organizationId, userId }, kind }: DataRead): Promise<boolean> => {
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
    /** Records that a caller read data, unless the minute has an event for it. Never throws. */
    async record(read: DataRead): Promise<void> {
      try {
        if (await isFirst(read)) await recorder.record(toEvent(read));
      } catch (error) {
        writeLog("error", "A read was not recorded", { alarm: "event_not_recorded", cause: String(error) });
      }
    },
  };
};
