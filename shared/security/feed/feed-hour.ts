/**
 * The feed for a SIEM: the events of each closed hour of an organization that switched it on, as one object in a bucket.
 * Closing an hour marks it as due (due-hour-store.ts); write-feed.ts writes its object. Pure. docs/siem.md.
 */
import { organizationIdOf } from "../../terms/keys.ts";

/**
 * The prefix of a custom source of Amazon Security Lake, below which partitions are by Region, account and day.
 * https://docs.aws.amazon.com/security-lake/latest/userguide/custom-sources.html
 */
const SOURCE_PREFIX = "ext/integration_security/1.0/";

/** Keys have at most 1,024 bytes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html */
const MAX_ACCOUNT_CHARACTERS = 800;

/** The organization in keys: percent-encoded, or `=` and its base64url if that is too long. */
const accountOf = (organizationId: string): string => {
  const encoded = encodeURIComponent(organizationId.toWellFormed());
  return encoded.length <= MAX_ACCOUNT_CHARACTERS ? encoded : `=${Buffer.from(organizationId).toString("base64url")}`;
};

/** The prefix of all objects of a partition of events. @param scope of an organization (terms/keys.ts). */
export const feedPrefix = (region: string, scope: string): string =>
  `${SOURCE_PREFIX}region=${region}/accountId=${accountOf(organizationIdOf(scope))}/`;

/** The key of an hour's object, such as `…/eventDay=20261121/10.ndjson.gz`. @param hour its start, epoch ms. */
export const feedKey = (region: string, scope: string, hour: number): string => {
  const time = new Date(hour).toISOString();
  return `${feedPrefix(region, scope)}eventDay=${time.slice(0, 10).replaceAll("-", "")}/${time.slice(11, 13)}.ndjson.gz`;
};
