/** Services and organizations for files of tests: each function here registers its own set-up and tear-down. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeEach, expect } from "@jest/globals";
import { createAlteredAssemblies } from "./altered-assembly.ts";
import { organizationOf } from "./integration.ts";
import { type OtherProvider, startOtherProvider } from "./other-provider.ts";
import { type Service, type ServiceOptions, type ServiceUnderTest, shareService, startService } from "./service.ts";
import { simulatedProvider } from "./simulated-provider.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

/** The service that all files share (service.ts). After the file's tests, no function may have been denied a call. */
export const useSharedService = async () => {
  const service = await shareService();
  afterAll(async () => expect(await service.denials()).toEqual([]));
  return service;
};

/** A service for one file. After its tests, no function may have been denied a call, and items expire as documented. */
export const useService = async (options: ServiceOptions = {}): Promise<ServiceUnderTest> => {
  const service = await startService(options);
  afterAll(async () => {
    const { undocumentedLivesOf } = await import("./documented-lives.ts");
    const misfits = await undocumentedLivesOf(service);
    await service.stop();
    expect(misfits).toEqual([]);
    expect(service.denials).toEqual([]);
  });
  return service;
};

/** A service for one file whose provider is the other implementation of the wire protocol (other-provider.ts). */
export const useOtherProvider = async (
  options: ServiceOptions = {},
): Promise<{ provider: OtherProvider; service: ServiceUnderTest }> => {
  const provider = await startOtherProvider();
  const service = await useService({ providerApiUrl: provider.url, ...options });
  afterAll(provider.stop);
  return { provider, service };
};

/** Starts receivers of webhooks, which stop after the file's tests. @returns a function with the port as its argument */
export const useReceivers = () => {
  const stops: (() => unknown)[] = [];
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return async (port?: number) => {
    const receiver = await startWebhookReceiver(port);
    stops.push(receiver.stop);
    return receiver;
  };
};

/** Altered copies of the service's assembly, which are removed after the file's tests. */
export const useAlteredAssemblies = () => {
  const assemblies = createAlteredAssemblies();
  afterAll(assemblies.remove);
  return assemblies;
};

/** An object that `read` finds, looked up again at each use of a property. */
const lookedUp = <Thing extends object>(read: () => Thing): Thing =>
  new Proxy({} as Thing, { get: (_, property) => Reflect.get(read(), property) });

/** An object that `renew` replaces by another one. */
const renewable = <Thing extends object>(make: (count: number) => Thing | Promise<Thing>) => {
  let count = 0;
  let current: Thing | undefined;
  const read = (): Thing => {
    if (current === undefined) throw new Error("The object is read before its hook has run.");
    return current;
  };
  const renew = async (): Promise<void> => {
    current = await make(++count);
  };
  return { read, renew };
};

/** An object that is made before each test. @param make its argument counts the tests from 1 */
export const useFresh = <Thing extends object>(make: (count: number) => Thing | Promise<Thing>): Thing => {
  const { read, renew } = renewable(make);
  beforeEach(renew);
  return lookedUp(read);
};

/** A new organization before each test: `name-1`, `name-2`. */
export const useOrganizations = (service: Service, name: string) =>
  useFresh((count) => organizationOf(service, `${name}-${count}`));

/** An organization that is connected to an account of the simulator by an API key, after its first run. */
export const connectedOrganization = async (service: Service, organizationId: string, objects = 4) => {
  const ours = organizationOf(service, organizationId);
  const account = await simulatedProvider(service).account(objects, { seed: organizationId });
  const secret = `whsec_${randomBytes(12).toString("hex")}`;
  // Imported here, because the provider's SDK takes a second to load in jest.
  const { webhookSender } = await import("./webhook-sender.ts");
  expect(await ours.connect(account.apiKey, { webhookSecret: secret })).toMatchObject({ status: 200 });
  expect(await ours.lastRun()).toMatchObject({ trigger: "connection", status: "succeeded" });
  return { ours, account, sender: webhookSender(service, organizationId, secret) };
};

/**
 * A connected organization (`connectedOrganization`), by default a new one before each test.
 * @param options.name of the organizations @param options.each without it, a hook calls `connectAnother`
 */
export const useConnected = (
  service: ServiceUnderTest,
  { name, objects, each = true }: { name: string; objects?: number; each?: boolean },
) => {
  const { read, renew } = renewable((count) => connectedOrganization(service, `${name}-${count}`, objects));
  if (each) beforeEach(renew);
  const ours = lookedUp(() => read().ours);
  return {
    provider: simulatedProvider(service),
    ours,
    account: lookedUp(() => read().account),
    /** Sends webhooks that are signed with the organization's secret. */
    sender: lookedUp(() => read().sender),
    connectAnother: renew,
    /** A record of a customer. */
    customerOf: async (id: string, organization = ours) =>
      (await organization.records("customers")).find((record) => record.id === id),
    /** Resolves when everything that deliveries caused has ended. */
    settled: () => service.advance(0),
  };
};
