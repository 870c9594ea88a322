/** Mutes and their worker beside a world of notifications (notifications.ts). */
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createEndDueMutes } from "../../shared/mutes/end-due-mutes.ts";
import { createHiddenStore } from "../../shared/mutes/hidden-store.ts";
import type { MuteScope } from "../../shared/mutes/mute.ts";
import { createMuteRecorder } from "../../shared/mutes/mute-events.ts";
import type { MuteItem } from "../../shared/mutes/mute-item.ts";
import { createMuteStore } from "../../shared/mutes/mute-store.ts";
import { nextEnd } from "../../shared/mutes/mute-times.ts";
import { createClaimer } from "../../shared/notifications/claim-notification.ts";
import { createNotificationDeliveryStore } from "../../shared/notifications/delivery-store.ts";
import { createDestinationStore } from "../../shared/notifications/destination-store.ts";
import { createNoticeStore, type NoticeStore } from "../../shared/notifications/notice-store.ts";
import { createReleaseHidden } from "../../shared/notifications/release-hidden.ts";
import { createTable } from "../../shared/runtime/table.ts";
import { eventId, identityOf } from "../../shared/security/event-id.ts";
import type { NewSecurityEvent } from "../../shared/security/security-event.ts";
import { CONSOLE_URL, MUTE_OPTIONS, type NotificationWorld } from "./notifications.ts";

/** @param client of the worker; faults may be planted in it. @param direct a client without faults. */
export const createMuteWorld = (
  world: NotificationWorld,
  direct: DynamoDBDocumentClient,
  client: DynamoDBDocumentClient = direct,
) => {
  const { organizationId, time } = world;
  const mutes = createMuteStore(createTable(direct, "mutes"), MUTE_OPTIONS);
  const hidden = createHiddenStore(createTable(direct, "mutes"), MUTE_OPTIONS);
  /** The events that the worker recorded, by their identity. */
  const events = new Map<string, NewSecurityEvent>();
  const resolved = new Set<string>();
  let made = 0;

  const newWorker = (notices: NoticeStore = createNoticeStore(createTable(client, "notifications"))) => {
    const ofWorker = createMuteStore(createTable(client, "mutes"), MUTE_OPTIONS);
    const now = () => time.now;
    return createEndDueMutes({
      mutes: ofWorker,
      recordChange: createMuteRecorder({
        mutes: ofWorker,
        recorder: {
          record: async (event, moment) => {
            events.set(String(moment?.identity), event);
            return undefined;
          },
        },
      }),
      resolveAlert: async (_, { id }) => void resolved.add(id),
      release: createReleaseHidden({
        destinations: createDestinationStore(createTable(client, "notifications")),
        notices,
        deliveries: createNotificationDeliveryStore(createTable(client, "notifications")),
        alerts: { find: async (_, id) => world.storedAlerts.get(id) },
        mutes: ofWorker,
        hidden: createHiddenStore(createTable(client, "mutes"), MUTE_OPTIONS),
        claimer: createClaimer({ notices, queue: world.queue, consoleUrl: CONSOLE_URL, now }),
        now,
      }),
      now,
    });
  };

  return {
    mutes,
    hidden,
    events,
    resolved,

    /** Mutes alerts from now on, by default those of the rule of `changeOf` for an hour. */
    async mute(changes: Partial<MuteScope> = {}): Promise<MuteItem> {
      const at = time.now;
      const scope: MuteScope = {
        rules: ["system_errors"],
        from: at,
        until: at + 3_600_000,
        includeCritical: false,
        ...changes,
      };
      const id = eventId(at, identityOf("mute", organizationId, ++made));
      const counters = {
        hiddenAlerts: 0,
        hiddenNotifications: 0,
        hiddenLOW: 0,
        hiddenMEDIUM: 0,
        hiddenHIGH: 0,
        hiddenCRITICAL: 0,
      };
      const item = { id, ...scope, reason: "test", createdBy: "ada", createdAt: at, ...counters };
      await mutes.create(organizationId, item, { dueAt: nextEnd(scope, at), now: at });
      return { ...item, ttl: 0 };
    },

    end: ({ id }: Pick<MuteItem, "id">) => mutes.end(organizationId, id, { action: "end_mute", at: time.now }),

    /** Runs a worker of its own instance once. */
    work: (notices?: NoticeStore) => newWorker(notices)(() => 100_000),

    async read({ id }: Pick<MuteItem, "id">): Promise<MuteItem> {
      const item = await mutes.read(organizationId, id, time.now);
      if (item === undefined) throw new Error("There is no such mute.");
      return item;
    },
  };
};
