/** Bound of a body that changes keys or people. */
export const adminBodyBytesMax = 16 * 1024;
