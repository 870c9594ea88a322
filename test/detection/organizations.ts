import type { SecurityEvent } from "../../shared/security/security-event.ts";

/** Events by organization, in order of name; those without one under the empty name. */
export const byOrganization = (events: readonly SecurityEvent[]): Map<string, SecurityEvent[]> => {
  const groups = new Map<string, SecurityEvent[]>();
  for (const event of events) {
    const name = event.organizationId ?? "";
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [event]);
    else group.push(event);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
};
