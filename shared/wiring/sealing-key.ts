/**
 * Reads the sealing key. Functions load this file at the first use of the key, as a bundle of its own: a cold start neither
 * loads the client of Secrets Manager nor calls it.
 */
export { secretsManager } from "../runtime/secrets-manager.ts";
