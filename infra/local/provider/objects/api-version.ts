/** The only API version that the simulator speaks: that of the service's pinned SDK. Events are written in it too. */
export const API_VERSION = "2026-10-28.endive";
