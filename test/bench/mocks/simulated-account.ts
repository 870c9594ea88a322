/** An account of the provider's simulator, in this process. */
import * as z from "zod";
import { startProviderSimulator } from "../../../infra/local/provider/simulator.ts";
import type { Clock } from "../../../shared/runtime/clock.ts";

const Account = z.object({ accountId: z.string(), apiKey: z.string() });
const Shown = z.object({ requests: z.record(z.string(), z.object({ total: z.number() })) });

export const startSimulatedAccount = async (options: { dataDirectory: string; clock: Clock; objects: number }) => {
  const { dataDirectory, clock, objects } = options;
  const simulator = await startProviderSimulator({
    dataDirectory,
    clock: { now: clock },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const control = async <Answer>(route: string, schema: z.ZodType<Answer>, body?: object): Promise<Answer> => {
    const work = simulator.controlRoutes[route];
    const answer = await work?.({ parameters: {}, query: new URLSearchParams(), body });
    if (answer?.status !== 200) throw new Error(`${route} answered ${JSON.stringify(answer)}`);
    return schema.parse(answer.body);
  };
  const { accountId, apiKey } = await control("POST /provider/accounts", Account, { objects });
  return {
    url: simulator.url,
    apiKey,
    change: (change: object) => control("POST /provider/changes", z.unknown(), { accountId, ...change }),
    /** The number of requests so far. */
    async requests(): Promise<number> {
      const { requests } = await control("GET /provider", Shown);
      return requests[accountId]?.total ?? 0;
    },
    stop: () => simulator.close(),
  };
};
