/**
 * Events that could not be recorded at their time wait in a queue for up to 14 days, where no erasure reaches them. So what
 * is restored from there is held against the organization's erasures first. docs/erasure.md, "Copies".
 */
import { encodeJson } from "../json/encode-json.ts";
import { SecurityEvent } from "../security/security-event.ts";
import { createNaming } from "../terms/mentions-user.ts";
import { type Cleaning, cleaningOfAll, cleaningOfUser } from "./clean-event.ts";
import { digestOfUser, type LateRule, type LateStore } from "./late-store.ts";

type Item = Readonly<Record<string, unknown>>;

const toItem = ({ metadata, ...event }: SecurityEvent): Item => ({
  ...event,
  ...(metadata !== undefined && { metadata: encodeJson(metadata) }),
});

const cleaned = (item: Item, { remove, set }: Cleaning): SecurityEvent => {
  const { metadata, ...kept } = { ...item, ...set };
  const event = Object.fromEntries(Object.entries(kept).filter(([name]) => !remove.includes(name)));
  const isKept = typeof metadata === "string" && !remove.includes("metadata");
  return SecurityEvent.parse({ ...event, ...(isKept && { metadata: JSON.parse(metadata) }) });
};

const cleaningBy = (
  { what, digest, erasureId }: LateRule,
  organizationId: string,
  item: Item,
): Cleaning | undefined => {
  if (what === "all") return cleaningOfAll(item);
  const { userId } = item;
  if (typeof userId !== "string" || digestOfUser(organizationId, erasureId, userId) !== digest) return undefined;
  return cleaningOfUser(item, { userId, naming: createNaming([userId]), addresses: new Set() });
};

/** An event as it may be recorded now. */
export type ForgetLate = (event: SecurityEvent) => Promise<SecurityEvent>;

/** The returned function throws DomainError `store_unavailable`; then the event must wait on. */
export const createForgetLate =
  ({ late }: { late: Pick<LateStore, "list"> }): ForgetLate =>
  async (event) => {
    const { organizationId, timestamp } = event;
    if (organizationId === undefined) return event;
    let kept = event;
    for (const rule of await late.list(organizationId)) {
      if (rule.until !== undefined && timestamp > rule.until) continue;
      const item = toItem(kept);
      const cleaning = cleaningBy(rule, organizationId, item);
      if (cleaning !== undefined) kept = cleaned(item, cleaning);
    }
    return kept;
  };
