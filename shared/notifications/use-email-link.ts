/** GET and POST …/notifications/link: the pages behind the links in mails. Only POST changes anything. docs/notifications.md. */

import type { Html } from "../http/route.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { addLogIds } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import type { Origin } from "../terms/requester.ts";
import type { DestinationChange, DestinationStore } from "./destination-store.ts";
import type { EmailLink, EmailLinks } from "./email-link.ts";
import { askingPage, type EmailLinkResult, resultPage } from "./email-link-page.ts";
import { changeOf, type RecordDestinationChange } from "./notification-events.ts";
import type { DestinationItem } from "./notification-items.ts";

/** Of several concurrent changes, one is written in each attempt. */
const MAX_ATTEMPTS = 10;

export type EmailLinkDependencies = {
  links: Pick<EmailLinks, "open">;
  destinations: Pick<DestinationStore, "read" | "change">;
  now: Clock;
};

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

const aboutOf = ({ link, destination }: Opened) => ({
  ...{ address: destination.target, name: destination.name, organizationId: link.organizationId },
});

/** What is true already, if the link's action has nothing to change. */
const settledResult = ({ link: { action }, destination }: Opened): EmailLinkResult | undefined => {
  const { status, pausedBecause } = destination;
  if (action === "unsubscribe") return pausedBecause === "unsubscribed" ? "unsubscribed" : undefined;
  if (status === "unconfirmed") return undefined;
  return status === "active" ? "confirmed" : "paused";
};

/** The returned function shows the page with the button. */
export const createOpenEmailLink =
  (dependencies: EmailLinkDependencies) =>
  async (key: string): Promise<Html> => {
    const opened = await open(dependencies, key);
    const result = settledResult(opened);
    const about = aboutOf(opened);
    return result === undefined ? askingPage(opened.link.action, about) : resultPage(result, about);
  };

/** The returned function does what the link says, and shows the result; again, it changes nothing. */
export const createUseEmailLink = (
  dependencies: EmailLinkDependencies & { recordChange: RecordDestinationChange; newToken: () => string },
) => {
  const { destinations, recordChange, newToken, now } = dependencies;
  return async (key: string, origin: Origin): Promise<Html> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const opened = await open(dependencies, key);
      const { link, destination } = opened;
      const { organizationId } = link;
      await recordChange(organizationId, destination.change);
      const settled = settledResult(opened);
      if (settled !== undefined) return resultPage(settled, aboutOf(opened));
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
      return resultPage(isConfirming ? "confirmed" : "unsubscribed", aboutOf(opened));
    }
    throw new DomainError("store_unavailable", "The destination is being changed by others. Try again.");
  };
};
