import { atFirstAttempts } from "../faults/fault-plan.ts";
import { startFaultProxy } from "../faults/fault-proxy.ts";

/** A proxy in front of an engine. The first answer to each call is lost after the engine has executed it. */
export const startLossyProxy = async (endpoint: string) => {
  const proxy = await startFaultProxy(endpoint);
  proxy.use(atFirstAttempts("lost_reset"));
  return { url: proxy.url, stop: () => void proxy.close() };
};
