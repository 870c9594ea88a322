/** GET /verify.mjs: the program that checks an export with proof. It takes no token. docs/evidence.md. */
import { wireVerifierHandler } from "../../shared/wiring/pages.ts";

export const handler = wireVerifierHandler();
