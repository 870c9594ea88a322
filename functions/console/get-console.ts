/** GET /console, GET /console/{view+}: the page of the console, with its settings. It takes no token. docs/deployment.md. */
import { wireConsoleHandler } from "../../shared/wiring/pages.ts";

export const handler = wireConsoleHandler();
