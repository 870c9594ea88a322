/** An empty handler: the cost of Node alone. */
export const handler = async () => ({ statusCode: 200 });
