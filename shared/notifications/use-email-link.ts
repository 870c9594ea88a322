/** What the links in mails do: opening one changes nothing, using it does. docs/notifications.md, "E-mail". */
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { addLogIds } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import type { Origin } from "../terms/requester.ts";
import type { DestinationChange, DestinationStore } from "./destination-store.ts";
import type { EmailLink, EmailLinks } from "./email-link.ts";
import type { RefusalReason } from "./mailed-address.ts";
import type { MailedAddressStore } from "./mailed-address-store.ts";
import { changeOf, type RecordDestinationChange } from "./notification-events.ts";
import { type DestinationItem, RESUMED } from "./notification-items.ts";
import type { WatchChange } from "./watch-change.ts";

/** Of several concurrent changes, one is written in each attempt. */
const MAX_ATTEMPTS = 10;

export type EmailLinkDependencies = {
  links: Pick<EmailLinks, "open">;
  destinations: Pick<DestinationStore, "read">;
  now: Clock;
};

/** `address`: the e-mail address. `name`: how users call the destination. */
type About = { address: string; name: string; organizationId: string };

/** Of the link "This was not me": it names the address by a digest only, and works without the destination. */
type AboutStranger = Pick<About, "organizationId">;

/** What the page behind a link shows: the question that its button answers, or what is true now. */
export type EmailLinkView =
  | { question: Exclude<EmailLink["action"], "not_me">; about: About }
  | { result: "confirmed" | "unsubscribed" | "paused"; about: About }
  | { question: "not_me"; about: AboutStranger }
  | { result: "not_me"; about: AboutStranger };

type Action = Exclude<EmailLink["action"], "not_me">;
/** `address`: a digest. */
type Opened =
  | { action: Action; link: EmailLink; destination: DestinationItem }
  | { action: "not_me"; link: EmailLink; address: string };

/** @throws DomainError `link_not_found`, `link_ended`, `store_unavailable`. */
const open = async ({ links, destinations, now }: EmailLinkDependencies, key: string): Promise<Opened> => {
  const link = links.open(key, now());
  addLogIds({ organizationId: link.organizationId });
  const { action, address, organizationId, destinationId } = link;
  if (action === "not_me") {
    if (address === undefined) throw new Error("A link to refuse an organization names no address.");
    return { action, link, address };
  }
  const destination = await destinations.read(organizationId, destinationId);
  if (destination === undefined || destination.addressId !== link.addressId) {
    throw new DomainError("link_ended", "The link has ended: the destination was changed or deleted since.");
  }
  return { action, link, destination };
};

const aboutOf = ({ organizationId }: EmailLink, { target, name }: DestinationItem): About => ({
  address: target,
  name,
  organizationId,
});

/** The result that already holds; undefined if the link's action has something to change. */
const settledView = ({ action, link, destination }: Extract<Opened, { action: Action }>): EmailLinkView | undefined => {
  const { status, pausedBecause, failingBecause } = destination;
  const about = aboutOf(link, destination);
  if (action === "unsubscribe") {
    return pausedBecause === "unsubscribed" ? { result: "unsubscribed", about } : undefined;
  }
  // Whoever opens the link has the mail, so the address works although mails came back.
  const isLifted = pausedBecause === "failing" && failingBecause !== undefined;
  if (status === "unconfirmed" || isLifted) return undefined;
  return { result: status === "active" ? "confirmed" : "paused", about };
};

/** The returned function reads what the page of a link shows. */
export const createOpenEmailLink =
  (dependencies: EmailLinkDependencies) =>
  async (key: string): Promise<EmailLinkView> => {
    const opened = await open(dependencies, key);
    const { link } = opened;
    if (opened.action === "not_me") {
      return { question: opened.action, about: { organizationId: link.organizationId } };
    }
    return settledView(opened) ?? { question: opened.action, about: aboutOf(link, opened.destination) };
  };

type UseDependencies = Omit<EmailLinkDependencies, "destinations"> & {
  destinations: Pick<DestinationStore, "read" | "change" | "list">;
  addresses: Pick<MailedAddressStore, "digestOf" | "refuse">;
  recordChange: RecordDestinationChange;
  watchChange: WatchChange;
  newToken: () => string;
};

/** The returned function does what the link says, and returns the result. A second use changes nothing. */
export const createUseEmailLink = (dependencies: UseDependencies) => {
  const { destinations, addresses, recordChange, watchChange, newToken, now } = dependencies;

  /** @returns false if another change came first. */
  const changeOnce = async (
    organizationId: string,
    destination: DestinationItem,
    action: Action,
    origin: Origin,
  ): Promise<boolean> => {
    const at = now();
    const version = newToken();
    const isSilenced = action === "unsubscribe" && destination.status === "active";
    const change = changeOf(
      destination,
      { origin },
      {
        action: action === "confirm" ? "confirm_destination" : "unsubscribe_destination",
        version,
        at,
        ...(isSilenced && { silenced: "unsubscribed" }),
      },
    );
    const fields: DestinationChange =
      action === "confirm"
        ? { ...RESUMED, status: "active" }
        : { status: "paused", pausedAt: at, pausedBecause: "unsubscribed" };
    const silencing = await watchChange(organizationId, destination, change);
    const after = await destinations.change(organizationId, destination, { ...fields, change }, version, silencing);
    if (after === undefined) return false;
    await recordChange(organizationId, change);
    return true;
  };

  /** Remembers the refusal first: after a crash in between, the recipient gets no other mail to confirm. */
  const refuse = (organizationId: string, address: string, because: RefusalReason): Promise<void> =>
    addresses.refuse(address, { organizationId, because, at: now() });

  /** Ends all mails of the organization to the address. @returns false if another change came first. */
  const unsubscribeAll = async (organizationId: string, address: string, origin: Origin): Promise<boolean> => {
    const own = (await destinations.list(organizationId)).filter(
      ({ type, target, pausedBecause }) =>
        type === "email" && pausedBecause !== "unsubscribed" && addresses.digestOf(target) === address,
    );
    const changed: boolean[] = [];
    for (const destination of own) {
      await recordChange(organizationId, destination.change);
      changed.push(await changeOnce(organizationId, destination, "unsubscribe", origin));
    }
    return !changed.includes(false);
  };

  return async (key: string, origin: Origin): Promise<EmailLinkView> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const opened = await open(dependencies, key);
      const { organizationId } = opened.link;
      if (opened.action === "not_me") {
        await refuse(organizationId, opened.address, "not_me");
        if (await unsubscribeAll(organizationId, opened.address, origin)) {
          return { result: "not_me", about: { organizationId } };
        }
        continue;
      }
      const { action, link, destination } = opened;
      await recordChange(organizationId, destination.change);
      const settled = settledView(opened);
      if (settled !== undefined) return settled;
      if (action === "unsubscribe") {
        await refuse(organizationId, addresses.digestOf(destination.target), "unsubscribed");
      }
      if (await changeOnce(organizationId, destination, action, origin)) {
        return { result: action === "confirm" ? "confirmed" : "unsubscribed", about: aboutOf(link, destination) };
      }
    }
    throw new DomainError("store_unavailable", "The destination is being changed by others. Try again.");
  };
};
