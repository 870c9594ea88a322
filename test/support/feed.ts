/** An organization with a feed for a SIEM, at a running service. */

import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { createTable } from "../../shared/runtime/table.ts";
import { eventId } from "../../shared/security/event-id.ts";
import { feedPrefix } from "../../shared/security/feed/feed-hour.ts";
import { toOcsf } from "../../shared/security/ocsf/to-ocsf.ts";
import type { EventType, SecurityEvent } from "../../shared/security/security-event.ts";
import { createSecurityEventStore } from "../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../shared/security/statistics/open-hour-store.ts";
import { hourName, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { organizationOf } from "./integration.ts";
import type { Service } from "./service.ts";
import { storedObjects } from "./stored-objects.ts";

const REGION = "eu-central-1";

export const fedOrganization = (service: Service, organizationId: string) => {
  const organization = organizationOf(service, organizationId);
  const prefix = feedPrefix(REGION, organizationKey(organizationId));
  return {
    ...organization,
    switchFeed: (siemFeed: boolean) => organization.call("PUT", "settings", { siemFeed }),

    /** The lines of each object, by the end of its key: `eventDay=20261121/10.ndjson.gz`. */
    async fed(): Promise<Record<string, unknown[]>> {
      const objects = await storedObjects(service, "feed", prefix);
      return Object.fromEntries(
        [...objects].map(([key, body]) => {
          const lines = gunzipSync(body).toString().split("\n");
          if (lines.pop() !== "") throw new Error(`${key} does not end with a line feed`);
          return [key.slice(prefix.length), lines.map((line) => JSON.parse(line))];
        }),
      );
    },

    /** The objects that the API's events of these hours give. @param hours any time in them, epoch ms. */
    async expected(...hours: number[]): Promise<Record<string, unknown[]>> {
      const events = (await organization.events()) as unknown as SecurityEvent[];
      const byHour: Record<string, unknown[]> = {};
      for (const hour of hours.map(startOfHour)) {
        const [day = "", time = ""] = new Date(hour).toISOString().split("T");
        const own = events.filter(({ timestamp }) => startOfHour(timestamp) === hour).reverse();
        byHour[`eventDay=${day.replaceAll("-", "")}/${time.slice(0, 2)}.ndjson.gz`] = own.map((event) =>
          JSON.parse(JSON.stringify(toOcsf(event))),
        );
      }
      return byHour;
    },

    /** Stores an event of a past hour as the recorder does: such an event was recorded late. */
    async recordLate(event: SecurityEvent): Promise<void> {
      const client = DynamoDBDocumentClient.from(engineClient(service.stack.dynamodbUrl), documentTranslation);
      const table = (name: string) => service.stack.tables.find((one) => one.includes(`Tables${name}`)) ?? name;
      // Marked long ago, so that closers do not wait for the event.
      const openHours = createOpenHourStore(createTable(client, table("SecurityRollups")), () => event.timestamp);
      await openHours.markHourOpen(organizationKey(organizationId), hourName(event.timestamp));
      const ttl = Math.floor(event.timestamp / 1_000) + 30 * 86_400;
      await createSecurityEventStore(createTable(client, table("SecurityEvents"))).put({
        event: { ...event, organizationId },
        ttl,
      });
      client.destroy();
    },
  };
};

/** @param at epoch ms. */
export const lateEvent = (at: number, eventType: EventType): SecurityEvent => ({
  id: eventId(at, randomBytes(16)),
  eventType,
  category: "compliance",
  riskLevel: "LOW",
  source: "user",
  userId: "ada",
  success: true,
  processed: false,
  alertGenerated: false,
  timestamp: at,
  createdAt: at + 1,
});
