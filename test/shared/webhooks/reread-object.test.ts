import { describe, expect, it, jest } from "@jest/globals";
import type { OpenConnection } from "../../../shared/connection/open-connection.ts";
import type { Credentials, Provider, ProviderAccess } from "../../../shared/provider/provider.ts";
import type { RecordType } from "../../../shared/records/record.ts";
import { createReread } from "../../../shared/webhooks/process.ts";
import { providerError } from "../../support/provider-errors.ts";
import { payment, seen } from "../../support/records.ts";

const connection = { connectionId: "c1", accountId: "acct_1", connectedAt: 1 };
const credentials: Credentials = { current: async () => "sk", refused: async () => undefined };

const createParts = (connectionId = "c1") => {
  const readObject = jest.fn<Provider["readObject"]>(async () => payment(seen(1)));
  const open = jest.fn<ProviderAccess["open"]>(() => ({ readObject }) as Partial<Provider> as Provider);
  const openConnection = jest.fn<OpenConnection>(async () => ({
    connection: {
      ...connection,
      connectionId,
      status: "connected",
      method: "api_key",
      credentials: new Uint8Array(),
      credentialsVersion: "v1",
    },
    credentials,
  }));
  const refused: Partial<Record<RecordType, number>> = {};
  const refusedTypes = async () => refused;
  const noteRefused = async (_: string, type: RecordType) => {
    refused[type] = connection.connectedAt;
  };
  const reread = createReread({ openConnection, access: { open }, refusedTypes, noteRefused });
  return { reread, openConnection, open, readObject, refused };
};

describe("reading an object on an event's behalf", () => {
  it("opens the credentials once for an event, and only when something is read", async () => {
    const { reread, openConnection, open, readObject } = createParts();
    const read = reread("acme", connection);
    expect(openConnection).not.toHaveBeenCalled();
    await read("payments", "pi_1");
    await read("payments", "pi_2");
    expect(openConnection.mock.calls).toEqual([["acme", { source: "webhook" }]]);
    expect(open.mock.calls).toEqual([
      [credentials, { organizationId: "acme", source: "webhook", accountId: "acct_1" }],
    ]);
    expect(readObject.mock.calls).toEqual([
      ["payments", "pi_1"],
      ["payments", "pi_2"],
    ]);
    await reread("acme", connection)("payments", "pi_1");
    expect(openConnection).toHaveBeenCalledTimes(2);
  });

  it("sets an object aside if the provider rejects the request for it, or cannot know its id", async () => {
    const { reread, readObject } = createParts();
    readObject.mockRejectedValueOnce(providerError("invalid"));
    const read = reread("acme", connection);
    const aside = { kind: "set_aside", type: "payments", reason: "unreadable" };
    await expect(read("payments", "pi_1")).resolves.toMatchObject({ ...aside, id: "pi_1" });
    await expect(read("payments", "pi_\ufffd")).resolves.toMatchObject({ ...aside, id: "pi_\ufffd" });
    expect(readObject).toHaveBeenCalledTimes(1);
    readObject.mockRejectedValueOnce(providerError("invalid", { kind: "network" }));
    await expect(read("payments", "pi_1")).rejects.toMatchObject({ kind: "network" });
  });

  it("reads no object of a type that runs are refused, nor a second one after a refusal", async () => {
    const { reread, openConnection, readObject, refused } = createParts();
    Object.assign(refused, { refunds: 1, payments: 1, payouts: 0 });
    await expect(reread("acme", connection)("refunds", "re_1")).resolves.toBeUndefined();
    expect(openConnection).not.toHaveBeenCalled();
    // Required types are read all the same.
    await expect(reread("acme", connection)("payments", "pi_1")).resolves.toMatchObject({ id: expect.any(String) });
    readObject.mockRejectedValueOnce(providerError("forbidden"));
    const read = reread("acme", connection);
    await expect(read("disputes", "du_1")).resolves.toBeUndefined();
    await expect(read("disputes", "du_2")).resolves.toBeUndefined();
    await read("payouts", "po_1");
    // The refusal is noted for the next event, too.
    await expect(reread("acme", connection)("disputes", "du_3")).resolves.toBeUndefined();
    expect(readObject.mock.calls.map(([, id]) => id)).toEqual(["pi_1", "du_1", "po_1"]);
  });

  it("reads nothing if the connection was replaced", async () => {
    const { reread, open } = createParts("c2");
    await expect(reread("acme", connection)("payments", "pi_1")).rejects.toMatchObject({ code: "not_connected" });
    expect(open).not.toHaveBeenCalled();
  });
});
