/**
 * The security events of own rules. Each change leaves exactly one: the write that makes a change also stores it, until its
 * event is recorded. If the instance crashes in between, the next request that changes the rule records the event; of a
 * deletion, the next deletion in the organization.
 */
import * as z from "zod/mini";
import { asSideWork } from "../../runtime/deadline.ts";
import { writeLog } from "../../runtime/log.ts";
import { identityOf } from "../../security/event-id.ts";
import type { Recorder } from "../../security/recorder.ts";
import type { NewSecurityEvent } from "../../security/security-event.ts";
import { RequestOrigin, requesterFields, requesterOf, type UserRequest } from "../../terms/requester.ts";

const eventOf = {
  create_custom_rule: "CUSTOM_RULE_CREATED",
  change_custom_rule: "CUSTOM_RULE_CHANGED",
  delete_custom_rule: "CUSTOM_RULE_DELETED",
} as const;
const actions = [
  "create_custom_rule",
  "change_custom_rule",
  "delete_custom_rule",
] as const satisfies (keyof typeof eventOf)[];

/** A change of a rule, as it is stored until its event is recorded. `at`: epoch ms. `fields`: the names of those that changed. */
export const UnrecordedRuleChange = z.object({
  action: z.enum(actions),
  rule: z.object({ id: z.string(), name: z.string(), level: z.string(), mode: z.string() }),
  revision: z.number(),
  at: z.number(),
  fields: z.optional(z.array(z.string())),
  userId: z.string(),
  ...RequestOrigin.shape,
});
export type UnrecordedRuleChange = z.output<typeof UnrecordedRuleChange>;

/** A change by a user. */
export const ruleChangeOf = (
  { id, name, level, mode }: UnrecordedRuleChange["rule"],
  by: UserRequest,
  what: Pick<UnrecordedRuleChange, "action" | "revision" | "at" | "fields">,
): UnrecordedRuleChange => ({
  ...what,
  rule: { id, name, level, mode },
  requestId: by.origin.requestId,
  ...requesterOf(by),
});

const changedEvent = (organizationId: string, change: UnrecordedRuleChange): NewSecurityEvent => ({
  eventType: eventOf[change.action],
  category: "compliance",
  riskLevel: "MEDIUM",
  source: "user",
  organizationId,
  ...requesterFields(change),
  resource: change.rule.id,
  resourceType: "security_event",
  action: change.action,
  success: true,
  metadata: {
    requestId: change.requestId,
    name: change.rule.name,
    level: change.rule.level,
    mode: change.rule.mode,
    ...(change.fields && { changed: change.fields }),
  },
});

/** Records a change's event, and then forgets the change. Without a change it does nothing. */
export type RecordRuleChange = (organizationId: string, change: UnrecordedRuleChange | undefined) => Promise<void>;

type Dependencies = {
  recorder: Pick<Recorder, "record">;
  rules: { forgetChange(organizationId: string, change: UnrecordedRuleChange): Promise<void> };
};

export const createRuleChangeRecorder =
  ({ recorder, rules }: Dependencies): RecordRuleChange =>
  async (organizationId, change) => {
    if (change === undefined) return;
    const { action, revision, rule, at } = change;
    await recorder.record(changedEvent(organizationId, change), {
      timestamp: at,
      identity: identityOf("custom_rule", action, organizationId, rule.id, revision),
    });
    await asSideWork(() => rules.forgetChange(organizationId, change)).catch((error: unknown) => {
      writeLog("warn", "Marking a change of an own rule as recorded failed", { cause: String(error) });
    });
  };
