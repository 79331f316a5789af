/** Of the packages in this repository: a test compares them. */
export const version: string = '0.2.0';
