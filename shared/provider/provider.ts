/**
 * The port to the payment provider, in the domain's words. An adapter implements it for one provider (stripe/);
 * nothing else knows the provider's own names. docs/provider.md.
 */
import type { ObjectDeleted, ObjectState, Observation, PaymentLinked, SeenAt } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";

/** Objects that one list call gives at most. */
export const PAGE_SIZE = 100;

/** An event of the provider: that something happened. `observations` is empty where it is none of our business. */
export type ProviderEvent = {
  id: string;
  /** The provider's word for it. */
  type: string;
  /** Epoch seconds of the provider's clock; several events may share one, and their order is not known. */
  createdSeconds: number;
  observations: readonly Observation[];
  /** The account took our permission away. */
  isDeauthorization: boolean;
};

/** A page of a list, newest first; `next` is where the next page starts after, undefined at the end. */
export type ProviderPage<Item> = { items: readonly Item[]; next: string | undefined };

export type Account = { accountId: string };

/** Tokens of an OAuth exchange; `accountId` where the provider says at once whose they are. */
export type Tokens = { accessToken: string; refreshToken: string; accountId?: string };

/**
 * The provider as one account's credentials see it. Each method is one operation: tried up to three times and for up
 * to 10 s, and recorded as one security event.
 * @throws ProviderError (all methods); CircuitOpenError where the circuit lets no call through.
 */
export type Provider = {
  readAccount(): Promise<Account>;

  /**
   * A page of all objects of a type, newest first, cancelled ones too.
   * @param createdUntil epoch seconds: leaves out what was created later.
   * @throws ProviderError `missing` where the object to start after is gone.
   */
  listObjects(
    type: RecordType,
    page: { after?: string | undefined; createdUntil?: number | undefined },
  ): Promise<ProviderPage<ObjectState>>;

  /** An object as it is now; `deleted` also where there is none. */
  readObject(type: RecordType, id: string): Promise<ObjectState | ObjectDeleted>;

  /** Which payments belong to which invoices; undefined where the provider has no such list. */
  listPaymentLinks(page: { after?: string | undefined }): Promise<ProviderPage<PaymentLinked> | undefined>;

  /**
   * A page of the event feed, newest first, every type; `seenAt` is when it was so, where that is known.
   * @param since epoch seconds, inclusive.
   * @param limit 1–100.
   */
  listEvents(page: {
    since?: number | undefined;
    after?: string | undefined;
    limit?: number;
  }): Promise<ProviderPage<ProviderEvent> & { seenAt?: SeenAt }>;
};
