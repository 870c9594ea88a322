/** What each type of a security event means, in a sentence. Generated from the OpenAPI document by the build. */
export { eventTypes } from "../../../../.build/console/event-types.ts";
