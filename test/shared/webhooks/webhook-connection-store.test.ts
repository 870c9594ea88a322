import { describe, expect, it } from "@jest/globals";
import { createWebhookConnectionStore } from "../../../shared/webhooks/webhook-connection-store.ts";
import { connectionNamed, useConnections } from "../connection/connection-table.ts";

const table = useConnections();

const store = () => createWebhookConnectionStore(table.table("connections"));
const webhookSecrets = Uint8Array.from([1, 2, 3]);

describe("the connection that webhooks belong to", () => {
  it("is read with its sealed secrets, and without its credentials", async () => {
    await table.stores.connections.connectQuietly("acme/ü", connectionNamed("a", { webhookSecrets }));
    const { connectionId, accountId } = connectionNamed("a");
    expect(await store().read("acme/ü")).toEqual({ connectionId, accountId, webhookSecrets });
  });

  it("exists while it needs a reconnect", async () => {
    const connection = connectionNamed("a", { webhookSecrets });
    const { connections } = table.stores;
    await connections.connectQuietly("waiting", connection);
    await connections.requireReconnectQuietly("waiting", connection);
    expect(await store().read("waiting")).toMatchObject({ webhookSecrets });
  });

  it("does not exist before it is made, without webhook secrets, and once it is removed", async () => {
    const { connections } = table.stores;
    expect(await store().read("bare")).toBeUndefined();
    await connections.connectQuietly("bare", connectionNamed("a"));
    expect(await store().read("bare")).toBeUndefined();
    await connections.connectQuietly("bare", connectionNamed("a", { webhookSecrets }));
    expect(await store().read("bare")).toBeDefined();
    await connections.disconnectQuietly("bare");
    expect(await store().read("bare")).toBeUndefined();
  });

  it("cannot be read if the table does not answer", async () => {
    const gone = createWebhookConnectionStore(table.table("connections", table.clientAt("http://127.0.0.1:1")));
    await expect(gone.read("acme")).rejects.toMatchObject({ code: "store_unavailable" });
  });
});
