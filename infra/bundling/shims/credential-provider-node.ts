/** Stands in for the SDK's credential chain, which is only asked when a client was given no credentials. */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error("This bundle has no credential chain: give the client its credentials.");
};
