/**
 * Which events of the provider's are from after the connect. The provider's times are whole seconds: an event of the second
 * of the connect may be later than the connect. `connectedAt` is epoch ms. Pure.
 */
import type { ProviderEvent } from "./provider.ts";

type Dated = Pick<ProviderEvent, "createdSeconds">;

const secondOf = (connectedAt: number): number => Math.floor(connectedAt / 1_000);

/** Whether the provider created an event in the second of the connect or later. */
export const isSinceConnect = (connectedAt: number, { createdSeconds }: Dated): boolean =>
  createdSeconds >= secondOf(connectedAt);

export const isOfConnectSecond = (connectedAt: number, { createdSeconds }: Dated): boolean =>
  createdSeconds === secondOf(connectedAt);
