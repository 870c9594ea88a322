/** The only API version that the simulator supports, also for events: the version of the service's pinned SDK. */
export const API_VERSION = "2026-10-28.endive";
