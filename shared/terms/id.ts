/** The form of every id in a path: those that the service makes, and those under which it stores the provider's events. */
const ID = /^\w[\w.:-]{0,254}$/;

/** Whether a text can be an id. A caller may send any text; a longer one would not fit into the key of an item. */
export const isId = (text: string): boolean => ID.test(text);
