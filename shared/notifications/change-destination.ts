/** PUT …/notifications/{id}: replaces a destination, pauses or resumes it, or rolls its secret. docs/notifications.md. */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import type { UserRequest } from "../terms/requester.ts";
import { checkUrl, requireEscalation, requireTimes } from "./check-request.ts";
import {
  countConfirmation,
  emailSecrets,
  requireEmail,
  sendConfirmation,
  withdrawConfirmation,
} from "./confirmation.ts";
import { type CreateDestinationDependencies, shownSecret } from "./create-destination.ts";
import { type DestinationChangeRequest, type DestinationWithSecret, OLD_SECRET_VALID_MS } from "./destination.ts";
import { rollSecrets } from "./destination-secrets.ts";
import type { DestinationChange, DestinationStore } from "./destination-store.ts";
import type { AddressRequest } from "./mailed-address-store.ts";
import { changeOf } from "./notification-events.ts";
import { type DestinationItem, RESUMED, toDestination } from "./notification-items.ts";
import { silencingOf } from "./silencing.ts";
import type { WatchChange } from "./watch-change.ts";

/** Of several concurrent changes, one is written in each attempt. */
const MAX_ATTEMPTS = 10;

/** A repeated request sends no second mail. Afterwards a user who missed the mail can have another one. */
const RESEND_AFTER_MS = 60_000;

export const destinationNotFound = () => new DomainError("destination_not_found", "There is no such destination.");

/** Fields that a type lacks would be ignored otherwise, and the caller would not notice. @throws DomainError. */
const requireFieldsOf = (
  { type }: DestinationItem,
  { url, address, reports, rollSecret }: DestinationChangeRequest,
) => {
  const foreign =
    type === "email"
      ? Object.entries({ url, rollSecret }).find(([, value]) => value !== undefined && value !== false)
      : Object.entries({ address, reports }).find(([, value]) => value !== undefined);
  const name = foreign?.[0] ?? (rollSecret && type !== "webhook" ? "rollSecret" : undefined);
  if (name !== undefined) {
    throw new DomainError("invalid_field", `${name}: expected for other types of destinations, not for ${type}`);
  }
};

/** The status after a change, and what goes with it. @throws DomainError `destination_not_confirmed`. @param at epoch ms. */
const statusChange = (before: DestinationItem, wanted: DestinationChangeRequest["status"], at: number) => {
  if (wanted === undefined || wanted === before.status) return {};
  if (before.status === "unconfirmed") {
    throw new DomainError("destination_not_confirmed", "The recipient has not confirmed the e-mail address yet.");
  }
  if (wanted === "paused") return { status: wanted, pausedAt: at, pausedBecause: "user" } as const;
  // A recipient who unsubscribed or complained must agree again, and an address whose mails came back must prove itself.
  const isAsked = before.pausedBecause === "unsubscribed" || before.failingBecause !== undefined;
  return { ...RESUMED, status: isAsked ? "unconfirmed" : wanted } as const;
};

type Dependencies = Omit<CreateDestinationDependencies, "destinations"> & {
  destinations: Pick<DestinationStore, "read" | "change" | "countConfirmation">;
  watchChange: WatchChange;
  now: Clock;
};

type ChangeRequest = UserRequest & { address: string };

/**
 * `secret`: a new one. `confirms`: the id of the address that must be confirmed, and how its mail is counted. `isMoved`: it
 * has another URL or address.
 */
type Planned = {
  change: DestinationChange;
  secret?: string;
  confirms?: { addressId: string; asked: AddressRequest };
  isMoved?: boolean;
};

/** Parts of the item that users do not see as fields. */
const UNNAMED = ["sealed", "changedAt", "changedBy", "addressId", "confirmationSentAt"];

/** The names of the fields that differ, for the security event. `secret`: the URL or the signing secret. */
const changedFields = (before: DestinationItem, change: DestinationChange): string[] => {
  const named = Object.entries(change)
    .filter(([name]) => !UNNAMED.includes(name))
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof DestinationItem]))
    .map(([name]) => name);
  return [...named, ...(change.sealed !== undefined && before.type !== "email" ? ["secret"] : [])];
};

/**
 * The returned function throws DomainError `invalid_field`, `destination_not_found`, `destination_not_confirmed`,
 * `email_not_configured`, `too_many_confirmations`, `too_many_rolls` and `store_unavailable`.
 */
export const createChangeDestination = (dependencies: Dependencies) => {
  const { destinations, addresses, secrets, links, handOver, recordChange, watchChange } = dependencies;
  const { targetRules, emailSender } = dependencies;
  const { newSecret, newToken, now } = dependencies;

  /** The change of a URL and of a webhook's secret. */
  const planUrl = async (
    before: DestinationItem,
    { url, rollSecret = false }: DestinationChangeRequest,
    { caller: { organizationId }, address: called }: ChangeRequest,
    at: number,
  ): Promise<Planned> => {
    const checked = url === undefined ? undefined : checkUrl(before.type, url, targetRules(called));
    if (checked === undefined && !rollSecret) return { change: {} };
    const stored = await secrets.open(organizationId, before.sealed);
    if (stored.type === "email") throw new Error("A destination has the secrets of another type.");
    if (checked?.url === stored.url && !rollSecret) return { change: {} };
    const moved = { ...stored, ...(checked && { url: checked.url }) };
    const isRolled = rollSecret && moved.type === "webhook";
    const opened = isRolled ? { ...moved, secrets: rollSecrets(moved.secrets, newSecret(), at) } : moved;
    return {
      change: {
        ...(checked && { target: checked.target }),
        ...(isRolled && { oldSecretValidUntil: at + OLD_SECRET_VALID_MS }),
        sealed: await secrets.seal(organizationId, opened),
      },
      ...(isRolled && shownSecret(opened)),
      isMoved: moved.url !== stored.url,
    };
  };

  /** The change of an e-mail address, and whether a link to confirm it is due. */
  const planEmail = async (
    before: DestinationItem,
    { address, reports }: DestinationChangeRequest,
    { caller: { organizationId } }: ChangeRequest,
    { at, status }: { at: number; status?: DestinationChange["status"] },
  ): Promise<Planned> => {
    const isMoved = address !== undefined && address !== before.target;
    const isMissed = address !== undefined && at - (before.confirmationSentAt ?? 0) >= RESEND_AFTER_MS;
    const isUnconfirmed = isMoved || (status ?? before.status) === "unconfirmed";
    const isAsked = isMoved || status === "unconfirmed" || (isUnconfirmed && isMissed);
    if (!isAsked) return { change: { reports } };
    requireEmail(emailSender);
    const target = address ?? before.target;
    // The id of the address before stays until the change is written, so all attempts count as one mail.
    const asked = { organizationId, request: before.addressId ?? before.id, at };
    await countConfirmation({ destinations, addresses }, target, asked);
    const addressId = newToken();
    const about = { organizationId, destinationId: before.id, addressId };
    return {
      change: {
        reports,
        target,
        addressId,
        confirmationSentAt: at,
        ...(isMoved && { ...RESUMED, status: "unconfirmed" }),
        sealed: await secrets.seal(
          organizationId,
          emailSecrets(links, about, { address: addresses.digestOf(target), at }),
        ),
      },
      confirms: { addressId, asked },
      isMoved,
    };
  };

  const plan = async (
    before: DestinationItem,
    request: DestinationChangeRequest,
    by: ChangeRequest,
    at: number,
  ): Promise<Planned> => {
    requireFieldsOf(before, request);
    const { name, filter, quietHours, digest, escalate, address } = request;
    // Another address needs to be confirmed, whatever the status is to be.
    const isMoved = address !== undefined && address !== before.target;
    const status = isMoved ? {} : statusChange(before, request.status, at);
    const common = {
      name,
      filter,
      quietHours,
      digest,
      escalate,
      changedAt: at,
      changedBy: by.caller.userId,
      ...status,
    };
    const own =
      before.type === "email"
        ? await planEmail(before, request, by, { at, ...status })
        : await planUrl(before, request, by, at);
    return { ...own, change: { ...common, ...own.change } };
  };

  /** Sends the link to confirm. If that fails, a repeated request sends it. */
  const confirm = async (
    after: DestinationItem,
    { addressId, asked }: NonNullable<Planned["confirms"]>,
    { caller }: ChangeRequest,
  ) => {
    const { organizationId, userId } = caller;
    const { at } = asked;
    try {
      await sendConfirmation(handOver, organizationId, after, { addressId, at, requestedBy: userId });
    } catch (error) {
      await withdrawConfirmation(addresses, after.target, asked);
      await asSideWork(() =>
        destinations.change(organizationId, after, { confirmationSentAt: undefined }, newToken()),
      ).catch((cause: unknown) => {
        writeLog("warn", "Marking a confirmation as not sent failed", { cause: String(cause) });
      });
      throw error;
    }
  };

  return async (id: string, request: DestinationChangeRequest, by: ChangeRequest): Promise<DestinationWithSecret> => {
    const { organizationId } = by.caller;
    requireTimes(request);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const at = now();
      const before = await destinations.read(organizationId, id);
      if (before === undefined) throw destinationNotFound();
      const { escalate } = request;
      await requireEscalation({ id, escalate }, before, (other) => destinations.read(organizationId, other));
      await recordChange(organizationId, before.change);
      const { change: planned, secret, confirms, isMoved = false } = await plan(before, request, by, at);
      const fields = changedFields(before, planned);
      // The same again, as after a lost answer, leaves no event.
      if (fields.length === 0 && planned.sealed === undefined) return toDestination(before);
      const version = newToken();
      const silenced = silencingOf(before, { ...before, ...planned } as DestinationItem, { isMoved });
      const what = { action: "change_destination", version, at, fields, ...definedFields({ silenced }) } as const;
      const change = changeOf({ ...before, name: request.name }, by, what);
      const silencing = await watchChange(organizationId, before, change);
      const after = await destinations.change(organizationId, before, { ...planned, change }, version, silencing);
      if (after === undefined) continue;
      await recordChange(organizationId, change);
      if (confirms !== undefined) await confirm(after, confirms, by);
      return { ...toDestination(after), ...definedFields({ secret }) };
    }
    throw new DomainError("store_unavailable", "The destination is being changed by others. Try again.");
  };
};
