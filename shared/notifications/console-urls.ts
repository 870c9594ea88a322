/** Addresses of the console's views, for people who read a notification. Pure. */

/** @param consoleUrl of the console, without a slash at its end. */
export const consoleAlertUrl = (consoleUrl: string, alertId: string): string =>
  `${consoleUrl}/alerts/${encodeURIComponent(alertId)}`;

export const consoleAlertsUrl = (consoleUrl: string): string => `${consoleUrl}/alerts`;

/** The list of reports, with the report first. */
export const consoleReportUrl = (consoleUrl: string, { kind, id }: { kind: string; id: string }): string =>
  `${consoleUrl}/reports?${new URLSearchParams({ kind, report: id }).toString()}`;
