import { globSync } from "node:fs";
import { root } from "./instrument.ts";

/** A part of the service that the mutation test judges: its files and the tests that must catch their faults. */
export type Subject = { name: string; files: string[]; tests: string[] };

const filesOf = (...patterns: string[]): string[] => [...new Set(globSync(patterns, { cwd: root }))].toSorted();

const definitions: Record<string, { files: string[]; tests: string[] }> = {
  redaction: {
    files: ["shared/security/redaction/*.ts"],
    // Not redact-hostile: it proves the time limits with long texts, which takes a second for each fault.
    tests: [
      "test/shared/security/redaction/{redact,redact-text,redact-recognisers,redact-and-cut,redact-properties}*.test.ts",
      "test/shared/security/redaction/{account-number-oracles,innocent-texts,published-keys}*.test.ts",
    ],
  },
  errors: {
    files: [
      "shared/terms/error-catalogue.ts",
      "shared/runtime/{domain-error,call-store}.ts",
      "shared/http/{create-handler,respond,render-result,unknown-route}.ts",
      "shared/provider/stripe/errors.ts",
      "shared/provider/provider-error.ts",
    ],
    tests: [
      "test/shared/http/{create-handler,unknown-route,render-result,respond}.test.ts",
      "test/shared/terms/error-catalogue.test.ts",
      "test/shared/runtime/call-store.test.ts",
      "test/shared/provider/stripe/{error-mapping,errors}.test.ts",
    ],
  },
  paging: {
    files: ["shared/http/{fit-list,cursor,page-query}.ts", "shared/runtime/{table-query,table-batches,sealing}.ts"],
    tests: [
      "test/shared/http/{fit-list,cursor,page-query,render-result}.test.ts",
      "test/shared/runtime/{table-query,table-batches,sealing}.test.ts",
    ],
  },
  breaker: {
    files: [
      "shared/circuit-breaker/{circuit,circuit-access,circuit-updates,circuit-item,circuit-store}.ts",
      "shared/circuit-breaker/{decide,guard,lru-cache,operator,operator-updates,reduce,request-counter}.ts",
    ],
    tests: ["test/shared/circuit-breaker/*.test.ts", "test/model/circuit-breaker/*.test.ts"],
  },
  authentication: {
    files: [
      "shared/http/{authenticate,discovery,key-set,key-trust,admit}.ts",
      "shared/terms/{caller,claims,permissions}.ts",
    ],
    tests: [
      "test/shared/http/{admit,authenticate,authenticate-form,authenticate-prewarm,key-set,key-trust,discovery,identity-providers,token-cache}.test.ts",
      "test/shared/terms/{caller,claims,permissions}.test.ts",
    ],
  },
  webhooks: {
    files: [
      "shared/provider/stripe/verify-signature.ts",
      "shared/webhooks/{receive,receive-platform,webhook-connection-store}.ts",
      "shared/http/webhook-handler.ts",
      "shared/connection/webhook-secrets.ts",
    ],
    tests: [
      "test/shared/provider/stripe/verify-signature.test.ts",
      "test/shared/webhooks/{receive,receive-platform,webhook-connection-store,webhook-secrets}.test.ts",
      "test/shared/http/webhook-handler.test.ts",
      "test/shared/connection/webhook-secrets.test.ts",
    ],
  },
  idempotency: {
    files: [
      "shared/runtime/{idempotency-store,conditional-write,table}.ts",
      "shared/terms/{idempotency-key,requester}.ts",
    ],
    tests: [
      "test/shared/runtime/{idempotency-store,conditional-write,transactions}.test.ts",
      "test/shared/terms/{idempotency-key,requester}.test.ts",
    ],
  },
  apply: {
    files: ["shared/records/{apply,decide-apply,observation,record-item,record-store}.ts"],
    tests: ["test/shared/records/*.test.ts", "test/model/records/*.test.ts"],
  },
  sweep: {
    files: ["shared/sync/{compare,read-list,page-id-store}.ts", "shared/work/outbox.ts"],
    tests: [
      "test/shared/sync/{compare,page-id-store,read-list}.test.ts",
      "test/shared/work/hand-over-and-outbox.test.ts",
    ],
  },
};

export const subjectNames = Object.keys(definitions);

/** @throws Error if the name is unknown */
export const subjectOf = (name: string): Subject => {
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`${name}: unknown subject; known are ${subjectNames.join(", ")}`);
  return { name, files: filesOf(...definition.files), tests: filesOf(...definition.tests) };
};
