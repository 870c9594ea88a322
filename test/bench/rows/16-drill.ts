/** How long a fire drill takes from its events to the delivery that its destination has accepted, in the local cloud. */
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../../infra/local/http/listen.ts";
import { synthesise } from "../../../infra/synth.ts";
import type { Drill } from "../../../shared/drills/drill.ts";
import { requestsTo, withCloud } from "../bench-cloud.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row } from "../row.ts";
import { median } from "../statistics.ts";

const DRILLS = 5;
const SECONDS: Budget = { limit: 60 };

const measureDrills = async (bench: Bench): Promise<Row[]> => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });
  const receiver = await listen(server, 0);
  try {
    // The deployed default refuses addresses inside the network.
    const assemblyDirectory = await synthesise(join(bench.workDirectory, "assembly-drill"), {
      notificationTargets: "loopback",
    });
    return await withCloud({ ...bench, assemblyDirectory }, async (cloud) => {
      const send = await requestsTo(cloud, "acme");
      await send("POST", "/notifications", { type: "webhook", name: "Bench", url: `${receiver.url}/alerts` });
      const delivered: number[] = [];
      const alerted: number[] = [];
      for (let drill = 0; drill < DRILLS; drill++) {
        const { id } = (await send("POST", "/security/drill", {})) as { id: string };
        let ended = (await send("GET", `/security/drill/${id}`)) as Drill;
        while (ended.status === "running") {
          await sleep(200);
          ended = (await send("GET", `/security/drill/${id}`)) as Drill;
        }
        const { recordedAt = 0, alertedAt = 0, deliveries } = ended.stages;
        const [{ acceptedAt } = { acceptedAt: undefined }] = deliveries;
        if (acceptedAt === undefined) throw new Error(`drill ${id} has ${ended.status}`);
        alerted.push((alertedAt - recordedAt) / 1_000);
        delivered.push((acceptedAt - recordedAt) / 1_000);
      }
      return [
        plainRow("from recorded to alerted, median of 5 drills", `${median(alerted).toFixed(2)} s`),
        judgedRow("from recorded to accepted by a webhook, slowest of 5 drills", Math.max(...delivered), SECONDS, {
          unit: "s",
        }),
      ];
    });
  } finally {
    await receiver.close();
  }
};

export const measurement: Measurement = { title: "A fire drill", measure: measureDrills };
