import type { ProofSourceDependencies } from "../../shared/exports/proof-sources.ts";

const refuse = (): never => {
  throw new Error("This world has no proofs.");
};

/** What exports need for proofs, in worlds without any. test/http/proofs.test.ts has proofs. */
export const withoutProof = {
  proofSpan: refuse,
  sizeOfProof: refuse,
  proof: {
    evidence: {
      getState: refuse,
      getHour: refuse,
      listRecords: refuse,
      getHead: refuse,
      listLeaves: refuse,
      getSlots: refuse,
    },
    readHour: refuse,
    checkpoints: { read: refuse },
    keys: refuse,
  } satisfies ProofSourceDependencies,
};
