// Rows with their properties by way of the bytes of their parts.
import {encodeProperties, viewProperties, type WholeRows, wholeRows} from '../../actors/chunk/property-columns.js';
import {encodeRows, viewRows} from '../../actors/chunk/rows.js';

/** The bytes of both parts. */
export const wholeBytes = (rows: WholeRows): Buffer => Buffer.concat([encodeRows(rows), encodeProperties(rows)]);

/** What both parts hold of these rows. */
export const recoded = (rows: WholeRows): WholeRows =>
  wholeRows(viewRows(encodeRows(rows)), viewProperties(encodeProperties(rows)));
