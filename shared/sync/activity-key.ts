/** The sort key of the item of table SyncRuns that says how far an account's activity is read (activity-item.ts). */
export const ACTIVITY_KEY = "activity";
