import type { Provider } from "../provider/provider.ts";

/** A provider that keeps the lease before each operation, and counts operations. */
export const createLeasedProvider = (
  provider: Provider,
  keepLease: () => Promise<void>,
): { provider: Provider; operations: () => number } => {
  let operations = 0;
  const before = async (): Promise<void> => {
    await keepLease();
    operations++;
  };
  return {
    operations: () => operations,
    provider: {
      readAccount: () => before().then(() => provider.readAccount()),
      listObjects: (type, page) => before().then(() => provider.listObjects(type, page)),
      readObject: (type, id) => before().then(() => provider.readObject(type, id)),
      listPaymentLinks: (page) => before().then(() => provider.listPaymentLinks(page)),
      listEvents: (page) => before().then(() => provider.listEvents(page)),
    },
  };
};
