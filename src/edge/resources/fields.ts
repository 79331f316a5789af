// Fields that several kinds have.
import {z} from 'zod';
import {idCharsMax} from '../../../actors/limits.js';
import {isName} from '../../ingest/validate.js';

const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;

export const name = z.string(nameRule).refine(isName, nameRule).meta({minLength: 1, maxLength: idCharsMax});

const placeMax = 1e12;
const placeRule = `place must be a number from -${placeMax} to ${placeMax}`;

export const place = z
  .number(placeRule)
  .min(-placeMax, placeRule)
  .max(placeMax, placeRule)
  .describe('Sort key of the list, ascending; any number between two others is possible. Default: at the end.');

/** A place behind all of these. */
export const lastPlace = (all: readonly {readonly place: number}[]): number =>
  Math.max(0, ...all.map((one) => one.place)) + 1;
