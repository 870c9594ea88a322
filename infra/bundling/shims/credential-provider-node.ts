/** Replaces the SDK's credential chain, which a client uses only if it was given no credentials. */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error("This bundle has no credential chain: give the client its credentials.");
};
