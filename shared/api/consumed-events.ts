/** Which events a background function accepts, from the tables of triggers and queues. */
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { type BackgroundFunctionName, backgroundFunctions, type Trigger } from "./background-functions.ts";
import { eventsOf } from "./queues.ts";

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html */
const SCHEDULED = "aws.events/Scheduled Event";

const busEventsOf = (trigger: Trigger): string[] => {
  const names = "event" in trigger ? [trigger.event] : "queueOf" in trigger ? eventsOf(trigger.queueOf) : [];
  return names.map((name) => `${EVENT_SOURCE}/${name}`);
};

/** As `source/detail-type`. Empty for functions that no bus event starts; their schedules have no detail that they read. */
export const consumedEvents = (name: BackgroundFunctionName): string[] => {
  const { triggers }: { triggers: readonly Trigger[] } = backgroundFunctions[name];
  const consumed = triggers.flatMap(busEventsOf);
  const isScheduled = triggers.some((trigger) => "hourlyAtMinute" in trigger || "everyHours" in trigger);
  return consumed.length > 0 && isScheduled ? [SCHEDULED, ...consumed] : consumed;
};
