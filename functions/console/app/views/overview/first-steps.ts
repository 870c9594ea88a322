/** What a new organization sets up, and which of it is done. Pure. */
import type { Connection, Destination, SecurityEvent, Settings, WebhookDelivery } from "../../api/types.ts";

export type Step = { name: string; text: string; isDone: boolean; href?: string; action?: string };

/** What the API has answered so far; undefined is not known yet. */
export type SetUp = {
  connection: Connection;
  deliveries: readonly WebhookDelivery[] | undefined;
  destinations: readonly Destination[] | null | undefined;
  settings: Settings | undefined;
  /** The newest ones. */
  events: readonly Pick<SecurityEvent, "userId" | "success">[] | undefined;
  userId: string;
};

const DAY = 24 * 60 * 60_000;
/** After this time, the list of first steps is in the way. */
const NEW_FOR_MS = 30 * DAY;

/** The steps in their order; undefined until it is known which of them are done. */
export const firstSteps = ({
  connection,
  deliveries,
  destinations,
  settings,
  events,
  userId,
}: SetUp): readonly Step[] | undefined => {
  if (deliveries === undefined || destinations === undefined || settings === undefined || events === undefined)
    return undefined;
  const { status, method, provider, webhookSetup } = connection;
  const isConnected = status === "connected";
  return [
    {
      name: `Connect ${provider.name}`,
      text: "Enter a restricted API key, or grant access there.",
      isDone: isConnected,
      href: "/console/connection",
      action: "Connect",
    },
    {
      name: "Receive webhooks",
      text: "Changes then arrive within seconds instead of hours. Connecting with “Register the webhook for me” is enough.",
      isDone: deliveries.length > 0 || (isConnected && (method === "oauth" || webhookSetup?.endpointId !== undefined)),
      href: "/console/webhooks",
      action: "Set up webhooks",
    },
    {
      name: "Send alerts to somebody",
      text: "A mail address, a chat channel or a URL. Until then, alerts are seen here only.",
      isDone: (destinations ?? []).some((one) => one.status === "active"),
      href: "/console/notifications/new",
      action: "Add a destination",
    },
    {
      name: "Say from where your people call",
      text: "Requests from networks outside the list are refused, and raise an alert.",
      isDone: settings.ipAllowlist.length > 0,
      href: "/console/settings",
      action: "Set the networks",
    },
    {
      name: "Bring in a colleague",
      text: "Give them a role of this organization at your identity provider. Done once another user has worked here.",
      // A stranger who is refused is no colleague.
      isDone: events.some((event) => event.success && event.userId !== undefined && event.userId !== userId),
    },
  ];
};

/** Whether an organization is new: not connected, or not for long. @param now epoch milliseconds */
export const isNewOrganization = ({ connectedAt }: Pick<Connection, "connectedAt">, now: number): boolean =>
  connectedAt === undefined || now - connectedAt < NEW_FOR_MS;
