import type { organizationOf } from "./integration.ts";

type Organization = ReturnType<typeof organizationOf>;

/** Starts connecting by OAuth. @returns the provider's page and the state of this attempt */
export const authorize = async (organization: Organization) =>
  (await organization.call("POST", "connection/authorize")).body as { url: string; state: string };

/** The simulator's code and state after a user granted an organization access to an account. */
export const grantAccess = async (organization: Organization, accountId: string) => {
  const { url } = await authorize(organization);
  const granted = await fetch(`${url}&account=${accountId}`, { headers: { accept: "application/json" } });
  return (await granted.json()) as { code: string; state: string };
};
