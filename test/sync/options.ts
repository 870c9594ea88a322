import { parseArgs } from "node:util";

export type Options = {
  objects: number;
  kills: number;
  seed: number;
  claims: { refundsPerCharge: number; disputesPerCharge: number };
};

const USAGE = `npm run test:sync -- [--objects <number>] [--refunds <number>] [--disputes <number>]
                     [--kills <number>] [--seed <number>]

Syncs a large account in a local cloud while the worker of syncs is killed at random moments, and proves that every
object is stored once. 100,000 objects take some minutes.

  --objects <number>  customers, subscriptions, invoices and payments of the account (100,000 by default)
  --refunds <number>  refunds of each charge, at most 20 (none by default)
  --disputes <number> disputes of each charge, at most 20 (none by default)
  --kills <number>    how often the worker is killed (12 by default)
  --seed <number>     chooses the account and the moments (1 by default)
  --help              this text
`;

const numberOf = (name: string, text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} takes a whole number, and not ${text}.`);
  return number;
};

/** @returns undefined after printing the usage, if requested. @throws Error if an option is invalid. */
export const readOptions = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      objects: { type: "string", default: "100000" },
      refunds: { type: "string", default: "0" },
      disputes: { type: "string", default: "0" },
      kills: { type: "string", default: "12" },
      seed: { type: "string", default: "1" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return undefined;
  }
  return {
    objects: numberOf("objects", values.objects),
    kills: numberOf("kills", values.kills),
    seed: numberOf("seed", values.seed),
    claims: {
      refundsPerCharge: numberOf("refunds", values.refunds),
      disputesPerCharge: numberOf("disputes", values.disputes),
    },
  };
};
