import { expect } from "@jest/globals";
import { eventually, organizationOf, PROVIDER } from "./integration.ts";
import { requestFrom } from "./request-from.ts";
import type { ServiceUnderTest } from "./service.ts";

/** An unresolved finding in `suspiciousActivity`. */
type Finding = {
  alertId: string;
  rule: string;
  subject: string;
  evidence: { eventIds: string[]; count: number } & Record<string, unknown>;
  firstSeen: number;
  lastSeen: number;
};
type Alert = { id: string; rule: string; subject: string; level: string; status: string; count: number };

export type WatchedOrganization = ReturnType<typeof watchedOrganization>;

/** An organization whose activity detection should find, and its findings. */
export const watchedOrganization = (service: ServiceUnderTest, organizationId: string) => {
  const organization = organizationOf(service, organizationId);
  const { as, call, connect, runs } = organization;

  const findings = async (query = "") =>
    ((await call("GET", `security?limit=1${query}`)).body as { suspiciousActivity: Finding[] }).suspiciousActivity;
  const alerts = async () => (await call("GET", "security/alert?limit=1000")).body as Alert[];

  return {
    ...organization,
    findings,
    alerts,

    /** A line for each finding: rule, subject, level and count of its alert. */
    async found(): Promise<string[]> {
      const known = new Map((await alerts()).map((alert) => [alert.id, alert]));
      const lines = (await findings()).map(({ alertId, rule, subject }) => {
        const alert = known.get(alertId);
        expect(alert).toMatchObject({ rule, subject });
        return `${rule} ${subject} ${alert?.level} ${alert?.count}`;
      });
      return lines.sort();
    },

    /** Sends a request with an expired token of each of these users. */
    async expire(...users: string[]): Promise<void> {
      const tokens = new Map<string, string>();
      for (const userId of users) {
        const token = tokens.get(userId) ?? (await as({ userId, expiresInSeconds: -120 }));
        tokens.set(userId, token);
        expect((await service.request("GET", "/plants", { token })).status).toBe(401);
      }
    },

    /** Sends a request that records a success. */
    async succeed(userId: string, address: string): Promise<void> {
      const answer = await requestFrom(service, address, ["GET", `${PROVIDER}/settings`], await as({ userId }));
      expect(answer.status).toBe(200);
    },

    /** Sends requests that the user's role does not allow, such as `GET security`. */
    async deny(userId: string, requests: readonly string[], role = "guest"): Promise<void> {
      for (const request of requests) {
        const [method = "", path = ""] = request.split(" ");
        const { status } = await call(method, path, method === "GET" ? undefined : {}, { role, userId });
        expect([request, status]).toEqual([request, 403]);
      }
    },

    /** Connects an account and waits until its first run has ended. */
    async connectAndSync(apiKey: string) {
      const before = (await runs()).length;
      expect((await connect(apiKey)).status).toBe(200);
      return eventually("the first run has ended", async () => {
        const [last, ...others] = await runs();
        return others.length >= before && last?.status !== "running" && last;
      });
    },
  };
};
