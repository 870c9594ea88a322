/** Fields for a time of day, and for the zone that it is in. */
import { zoneName } from "../words/local-time.ts";
import { Choice, TextField } from "./field.tsx";

/** The browser's list does not have UTC. @param used a zone that may be written in another way than in the list. */
const zonesWith = (used: string): string[] => [...new Set([used, "UTC", ...Intl.supportedValuesOf("timeZone")])];

type ZoneProps = { label: string; zone: string; onChoose: (zone: string) => void };

export const Zone = ({ label, zone, onChoose }: ZoneProps) => (
  <Choice<string>
    label={label}
    value={zone}
    options={zonesWith(zone).map((name) => [name, zoneName(name)] as const)}
    onChoose={onChoose}
  />
);

type TimeProps = { label: string; time: string; error?: string | undefined; onEnter: (time: string) => void };

// Some browsers add seconds.
export const TimeOfDay = ({ time, onEnter, ...rest }: TimeProps) => (
  <TextField type="time" value={time} onType={(text) => onEnter(text.slice(0, 5))} {...rest} />
);
