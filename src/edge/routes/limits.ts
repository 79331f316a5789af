/** Bytes of the body of a route that manages something. */
export const adminBodyBytesMax = 16 * 1024;
