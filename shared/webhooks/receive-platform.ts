/**
 * Receives one delivery at the platform's endpoint, to which the provider sends the events of all accounts that granted
 * the platform access: verifies the platform's signature, and accepts the event for each organization that has connected
 * the event's account, unless its API key may have been revoked. docs/webhooks.md, "The platform's endpoint".
 */
import * as z from "zod/mini";
import type { AccountOwner } from "../connection/account-directory-store.ts";
import { isEntitled } from "../connection/platform-events.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { addLogIds, withLogIds, writeLog } from "../runtime/log.ts";
import type { CachedSecret } from "../runtime/secrets-manager.ts";
import {
  type AcceptDependencies,
  createAcceptEvent,
  type DeliveredEvent,
  parseDelivery,
  rejected,
} from "./accept-event.ts";
import type { Delivery, HasValidSignature } from "./receive.ts";

export type ReceivePlatformDependencies = AcceptDependencies & {
  /** Undefined if the deployment has no endpoint of its own at the provider. */
  secret: CachedSecret | undefined;
  hasValidSignature: HasValidSignature;
  /** Reads strongly. */
  ownersOf(accountId: string): Promise<readonly AccountOwner[]>;
};

/** Receives a delivery; returns when it may be acknowledged. */
export type ReceivePlatform = (delivery: Delivery) => Promise<void>;

/** Organizations of one account that an event is accepted for at once. */
const AT_ONCE = 5;

const Secrets = z.array(z.string().check(z.minLength(1))).check(z.minLength(1));

/** The secrets in a value: one text, or a JSON list while a secret is rolled. */
const secretsIn = (value: string): readonly string[] => {
  if (!value.startsWith("[")) return [value];
  try {
    return Secrets.parse(JSON.parse(value));
  } catch {
    // Without the cause: it may quote the value.
    writeLog("error", "The platform's webhook secret is not a list of secrets", { alarm: "platform_secret" });
    throw new DomainError("store_unavailable", "The signature cannot be verified now. Send the event again.");
  }
};

/**
 * The connections that a deauthorization spares: those by API key, if the account revoked the permission of another
 * connection by OAuth. A key is valid without it.
 */
const partition = (
  owners: readonly AccountOwner[],
  { isDeauthorization }: Pick<DeliveredEvent, "isDeauthorization">,
) => {
  const byKey = owners.filter(({ method }) => method === "api_key");
  const spared = isDeauthorization && byKey.length < owners.length ? byKey : [];
  return { spared, others: owners.filter((owner) => !spared.includes(owner)) };
};

/** @throws DomainError `webhook_rejected`, `invalid_json`, `invalid_field`, or `store_unavailable` for any other failure. */
export const createReceivePlatform = (dependencies: ReceivePlatformDependencies): ReceivePlatform => {
  const { secret, hasValidSignature, ownersOf, parseEvent, recorder, now } = dependencies;
  const accept = createAcceptEvent(dependencies);

  const isGenuine = async ({ signature, body }: Delivery): Promise<boolean> => {
    if (secret === undefined) return false;
    const verify = (value: string) => hasValidSignature({ header: signature, body }, secretsIn(value), now());
    const value = await secret.current();
    if (verify(value)) return true;
    // The secret may have been rolled since it was read.
    const other = await secret.refused(value);
    return other !== undefined && verify(other);
  };

  return async (delivery) => {
    const { origin, body } = delivery;
    const startedAt = now();
    if (!(await isGenuine(delivery))) {
      const error = rejected();
      await recorder.forged({ organizationId: undefined, origin, error });
      throw error;
    }
    const event = parseDelivery(parseEvent, body, startedAt);
    addLogIds({ eventId: event.id });
    const { accountId, type } = event;
    const connected = accountId === undefined ? [] : await ownersOf(accountId);
    if (accountId === undefined || connected.length === 0) {
      const counted = { count: "platform_webhook_unclaimed", accountId, type };
      const message = "No organization has connected the account of a platform webhook";
      writeLog("info", message, counted, { UnclaimedPlatformWebhooks: 1 });
      return;
    }
    const owners = connected.filter((owner) => isEntitled(owner, startedAt));
    const withheld = connected.filter((owner) => !owners.includes(owner));
    const { spared, others } = partition(owners, event);
    const acceptFor = (isDeauthorization: boolean) => (owner: AccountOwner) =>
      withLogIds({ organizationId: owner.organizationId }, () =>
        accept({ ...owner, accountId }, { ...event, isDeauthorization }, { origin, startedAt, endpoint: "platform" }),
      );
    // Before the others, which leave the directory: a repeated delivery must spare the same connections.
    await inParallel(spared, AT_ONCE, acceptFor(false));
    await inParallel(others, AT_ONCE, acceptFor(event.isDeauthorization));
    if (withheld.length > 0) {
      const counted = { count: "platform_webhook_withheld", accountId, type };
      const message = "A platform webhook was withheld from connections whose API key may have been revoked";
      writeLog("info", message, counted, { WithheldPlatformWebhooks: withheld.length });
      await inParallel(withheld, AT_ONCE, (owner) => recorder.withheld({ ...owner, accountId }));
    }
  };
};
