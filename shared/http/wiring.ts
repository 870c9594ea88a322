/** What a deployed handler of the integration is made of besides its work, once per cold start. */
import type { Route } from "../api/route.ts";
import { wireSettingsStore } from "../settings/wire-settings-store.ts";
import type { HandlerParts } from "./create-handler.ts";
import { wirePersonalParts } from "./wire-personal-parts.ts";

/** @throws Error at cold start where the environment lacks a variable that the route needs. */
export const wireParts = (route: Route): HandlerParts => ({
  ...wirePersonalParts(route),
  settings: wireSettingsStore(),
});
