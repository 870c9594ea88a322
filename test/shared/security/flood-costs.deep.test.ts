/** The write units of floods, as the engine counts them: the figures of docs/security-events.md, "Floods". */
import { expect, it } from "@jest/globals";
import { countUnits } from "../../support/consumed-units.ts";
import { createFloodInstance, refusedToken, useFloodTables } from "../../support/flood.ts";
import { createRandom } from "../../support/random.ts";

const REFUSALS = 1_000;
const EVERY_MS = 6;
const START = Date.UTC(2026, 10, 21, 12);

const database = useFloodTables();

it.each([
  { users: 50, addresses: 20, instances: 1, limit: 220 },
  { users: 50, addresses: 20, instances: 10, limit: 310 },
  { users: 5, addresses: 1, instances: 1, limit: 60 },
  { users: 5, addresses: 1, instances: 10, limit: 270 },
  { users: 1, addresses: 20, instances: 1, limit: 140 },
  { users: 1, addresses: 20, instances: 10, limit: 360 },
])(
  "1,000 refused tokens in six seconds, $users users, $addresses addresses, $instances instances cost $limit units at most",
  async ({ users, addresses, instances, limit }) => {
    const client = database.newClient();
    const measure = countUnits(client);
    const random = createRandom(7);
    let now = START;
    const bytes = () => Uint8Array.from({ length: 16 }, () => Math.floor(random() * 256));
    const all = Array.from({ length: instances }, () =>
      createFloodInstance(database, () => now, { client, random: bytes }),
    );
    const organizationId = `${users}-${addresses}-${instances}`;
    const { write } = await measure(async () => {
      for (let index = 0; index < REFUSALS; index++) {
        now += EVERY_MS;
        const refused = refusedToken(`192.0.2.${index % addresses}`, {
          organizationId,
          userId: `user-${index % users}`,
        });
        await all[Math.floor(random() * instances)]?.record(refused);
      }
      now += 2_000;
      for (const one of all) await one.countDue();
    });
    process.stdout.write(`Flood of ${organizationId}: ${write} write units\n`);
    expect(write).toBeLessThanOrEqual(limit);
  },
);
