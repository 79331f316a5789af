/** All packages of this repository have this version: a test compares them. */
export const version: string = '0.2.0';
