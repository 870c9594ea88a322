/** An alert that is raised by hand. Pure. */
import type { Alert, GenerateAlert } from "../../api/types.ts";

/** What the form has. `events`: one id in each line. */
export type RaisedAlert = { title: string; level: Alert["level"]; message: string; events: string };

/** As the API takes them. */
const MOST_IDS = 100;
const MOST_CHARACTERS = 128;

/** @param text ids that are separated by commas, spaces or line ends. */
export const eventIdsOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((id) => id !== ""))];

/** Why the ids would be refused. */
export const idsProblem = (text: string): string | undefined => {
  const ids = eventIdsOf(text);
  if (ids.length > MOST_IDS) return `An alert takes at most ${MOST_IDS} events. These are ${ids.length}.`;
  const long = ids.find((id) => id.length > MOST_CHARACTERS);
  return long === undefined ? undefined : `This is no event id, because it is too long: ${long.slice(0, 40)}…`;
};

export const toRequest = ({ title, level, message, events }: RaisedAlert): GenerateAlert => {
  const eventIds = eventIdsOf(events);
  return {
    action: "generate_alert",
    title: title.trim(),
    riskLevel: level,
    ...(message.trim() !== "" && { message: message.trim() }),
    ...(eventIds.length > 0 && { eventIds }),
  };
};
