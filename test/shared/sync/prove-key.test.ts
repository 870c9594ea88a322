import { expect, it } from "@jest/globals";
import { createProveKey } from "../../../shared/sync/prove-key.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { useConnections } from "../connection/connection-table.ts";
import { createWorld, NOON, noAnswer } from "../connection/world.ts";

quietLog();

const HOUR = 3_600_000;
const { stores } = useConnections();
let organizations = 0;

/** An organization that connects a key at NOON. `prove` is the worker's part, `due` what the hourly search finds. */
const world = usePerTest(() => {
  const organizationId = `acme ${++organizations}`;
  const connected = createWorld(stores);
  let isOpen = false;
  const proveKey = createProveKey({
    circuits: {
      read: async (id) => {
        const circuit = await stores.circuits.read(id);
        return isOpen ? { ...circuit, state: "open", until: Number.MAX_SAFE_INTEGER } : circuit;
      },
    },
    openConnection: connected.openConnection,
    access: {
      flush: connected.provider.access.flush,
      // As run-operation.ts does after an operation that succeeded.
      open: (credentials, context) => {
        const provider = connected.provider.access.open(credentials, context);
        const readAccount = async () => {
          const account = await provider.readAccount();
          await credentials.accepted?.();
          return account;
        };
        return { ...provider, readAccount };
      },
    },
    clock: () => connected.now,
  });
  return {
    connected,
    organizationId,
    prove: () => proveKey(organizationId),
    reads: () => connected.provider.asked.filter((request) => request === "account").length,
    isDue: async () => (await stores.connected.withProofDue(connected.now)).includes(organizationId),
    connect: async () => {
      connected.provider.secrets.set("sk_1", "acct_1");
      await connected.connect({ method: "api_key", apiKey: "sk_1" }, organizationId);
    },
    openCircuit: () => {
      isOpen = true;
    },
  };
});

it("reads the account once, six hours after the provider accepted the key, and then finds nothing due", async () => {
  const { connected, connect, prove, reads, isDue, organizationId } = world;
  await connect();
  connected.now = NOON + 6 * HOUR - 1;
  await expect(isDue()).resolves.toBe(false);
  await expect(prove()).resolves.toEqual({ isProved: false });
  expect(reads()).toBe(1);
  connected.now++;
  await expect(isDue()).resolves.toBe(true);
  await expect(prove()).resolves.toEqual({ isProved: true });
  await expect(prove()).resolves.toEqual({ isProved: false });
  expect(reads()).toBe(2);
  expect(connected.provider.contexts.at(-1)).toEqual({ organizationId, source: "system", accountId: "acct_1" });
  await expect(isDue()).resolves.toBe(false);
  await expect(stores.connections.read(organizationId)).resolves.toMatchObject({ acceptedAt: NOON + 6 * HOUR });
  // Connecting flushes once.
  expect(connected.provider.flushes).toBe(4);
});

it("calls nothing while the circuit is open, and for a connection by OAuth or none", async () => {
  const { connected, connect, prove, reads, isDue, organizationId, openCircuit } = world;
  await expect(prove()).resolves.toEqual({ isProved: false });
  await connected.connectByOAuth(organizationId);
  connected.now += 30 * HOUR;
  await expect(isDue()).resolves.toBe(false);
  await expect(prove()).resolves.toEqual({ isProved: false });
  await connect();
  await connected.disconnect(organizationId);
  await expect(isDue()).resolves.toBe(false);
  await connect();
  connected.now += 30 * HOUR;
  const before = reads();
  openCircuit();
  await expect(prove()).resolves.toEqual({ isProved: false });
  expect(reads()).toBe(before);
});

it("stays due after a call that fails, and ends the connection of a key that was revoked", async () => {
  const { connected, connect, prove, isDue, organizationId } = world;
  await connect();
  connected.now += 6 * HOUR;
  connected.provider.failWith(noAnswer);
  await expect(prove()).resolves.toEqual({ isProved: false });
  await expect(isDue()).resolves.toBe(true);
  connected.provider.before = () => undefined;
  connected.provider.secrets.delete("sk_1");
  await expect(prove()).resolves.toEqual({ isProved: false });
  await expect(stores.connections.read(organizationId)).resolves.toMatchObject({ status: "needs_reconnect" });
  await expect(isDue()).resolves.toBe(false);
});

it("throws a fault, so that the request is delivered again", async () => {
  const { connect, connected, prove } = world;
  await connect();
  connected.now += 6 * HOUR;
  connected.provider.failWith(() => new TypeError("a fault"));
  await expect(prove()).rejects.toThrow("a fault");
});
