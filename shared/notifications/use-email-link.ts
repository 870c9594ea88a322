/** What the links in mails do: opening one changes nothing, using it does. docs/notifications.md, "E-mail". */
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { addLogIds } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import type { Origin } from "../terms/requester.ts";
import type { DestinationChange, DestinationStore } from "./destination-store.ts";
import type { EmailLink, EmailLinks } from "./email-link.ts";
import { changeOf, type RecordDestinationChange } from "./notification-events.ts";
import type { DestinationItem } from "./notification-items.ts";

/** Of several concurrent changes, one is written in each attempt. */
const MAX_ATTEMPTS = 10;

export type EmailLinkDependencies = {
  links: Pick<EmailLinks, "open">;
  destinations: Pick<DestinationStore, "read" | "change">;
  now: Clock;
};

/** `address`: the e-mail address. `name`: how users call the destination. */
type About = { address: string; name: string; organizationId: string };

/** What the page behind a link shows: the question that its button answers, or what is true now. */
export type EmailLinkView =
  | { question: EmailLink["action"]; about: About }
  | { result: "confirmed" | "unsubscribed" | "paused"; about: About };

type Opened = { link: EmailLink; destination: DestinationItem };

/** @throws DomainError `link_not_found`, `link_ended`, `store_unavailable`. */
const open = async ({ links, destinations, now }: EmailLinkDependencies, key: string): Promise<Opened> => {
  const link = links.open(key, now());
  addLogIds({ organizationId: link.organizationId });
  const destination = await destinations.read(link.organizationId, link.destinationId);
  if (destination === undefined || destination.addressId !== link.addressId) {
    throw new DomainError("link_ended", "The link has ended: the destination was changed or deleted since.");
  }
  return { link, destination };
};

const aboutOf = ({ link, destination }: Opened): About => ({
  address: destination.target,
  name: destination.name,
  organizationId: link.organizationId,
});

/** The result that already holds; undefined if the link's action has something to change. */
const settledView = (opened: Opened): EmailLinkView | undefined => {
  const { link, destination } = opened;
  const { status, pausedBecause } = destination;
  const about = aboutOf(opened);
  if (link.action === "unsubscribe") {
    return pausedBecause === "unsubscribed" ? { result: "unsubscribed", about } : undefined;
  }
  if (status === "unconfirmed") return undefined;
  return { result: status === "active" ? "confirmed" : "paused", about };
};

/** The returned function reads what the page of a link shows. */
export const createOpenEmailLink =
  (dependencies: EmailLinkDependencies) =>
  async (key: string): Promise<EmailLinkView> => {
    const opened = await open(dependencies, key);
    return settledView(opened) ?? { question: opened.link.action, about: aboutOf(opened) };
  };

/** The returned function does what the link says, and returns the result. A second use changes nothing. */
export const createUseEmailLink = (
  dependencies: EmailLinkDependencies & { recordChange: RecordDestinationChange; newToken: () => string },
) => {
  const { destinations, recordChange, newToken, now } = dependencies;
  return async (key: string, origin: Origin): Promise<EmailLinkView> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const opened = await open(dependencies, key);
      const { link, destination } = opened;
      const { organizationId } = link;
      await recordChange(organizationId, destination.change);
      const settled = settledView(opened);
      if (settled !== undefined) return settled;
      const at = now();
      const version = newToken();
      const isConfirming = link.action === "confirm";
      const action = isConfirming ? "confirm_destination" : "unsubscribe_destination";
      const change = changeOf(destination, { origin }, { action, version, at });
      const fields: DestinationChange = isConfirming
        ? { status: "active" }
        : { status: "paused", pausedAt: at, pausedBecause: "unsubscribed" };
      const after = await destinations.change(organizationId, destination, { ...fields, change }, version);
      if (after === undefined) continue;
      await recordChange(organizationId, change);
      return { result: isConfirming ? "confirmed" : "unsubscribed", about: aboutOf(opened) };
    }
    throw new DomainError("store_unavailable", "The destination is being changed by others. Try again.");
  };
};
