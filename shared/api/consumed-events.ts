/** Which events a background function accepts, from the tables of triggers and queues. */
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { type BackgroundFunctionName, backgroundFunctions, type Trigger } from "./background-functions.ts";
import { awsEventsOf, eventsOf } from "./queues.ts";

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html */
const SCHEDULED = "aws.events/Scheduled Event";

const eventsOfTrigger = (trigger: Trigger): string[] => {
  const names = "event" in trigger ? [trigger.event] : "queueOf" in trigger ? eventsOf(trigger.queueOf) : [];
  const own = names.map((name) => `${EVENT_SOURCE}/${name}`);
  return "queueOf" in trigger ? [...own, ...awsEventsOf(trigger.queueOf)] : own;
};

/**
 * The accepted events, as `source/detail-type`. Empty for a function that only a schedule or messages of other functions
 * start: it reads no detail.
 */
export const consumedEvents = (name: BackgroundFunctionName): string[] => {
  const { triggers }: { triggers: readonly Trigger[] } = backgroundFunctions[name];
  const consumed = triggers.flatMap(eventsOfTrigger);
  const isScheduled = triggers.some(
    (trigger) => "hourlyAtMinute" in trigger || "everyMinutes" in trigger || "everyHours" in trigger,
  );
  return consumed.length > 0 && isScheduled ? [SCHEDULED, ...consumed] : consumed;
};
