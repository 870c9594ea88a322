/** The event by which a schedule of EventBridge starts a function. @param time epoch ms */
export const scheduledEvent = (id: string, time: number) => ({
  id,
  time: new Date(time).toISOString(),
  source: "aws.events",
  "detail-type": "Scheduled Event",
  detail: {},
});
