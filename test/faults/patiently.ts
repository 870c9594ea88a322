/**
 * Prepares a case, or a part of it, up to three times. A good request has deadlines, too: a machine that is busy with other
 * tests misses one now and then.
 * @throws what the third preparation throws
 */
export const patiently = async <Ready>(prepare: () => Promise<Ready>): Promise<Ready> => {
  for (let attempts = 1; ; attempts++) {
    try {
      return await prepare();
    } catch (error) {
      if (attempts === 3) throw error;
    }
  }
};
