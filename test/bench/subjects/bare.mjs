/** Nothing but Node. */
export const handler = async () => ({ statusCode: 200 });
