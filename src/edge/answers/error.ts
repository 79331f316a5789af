// The body of a refusal.
import {z} from 'zod';
import {errorMeanings} from '../error-meanings.js';
import {type ErrorCode, statusOf} from '../failure.js';

const errorCodes = Object.keys(statusOf) as ErrorCode[];

export const errorAnswer = z.strictObject({
  error: z.strictObject({
    code: z.enum(errorCodes).meta({'x-enumDescriptions': errorMeanings}),
    message: z.string().min(1).describe('A sentence for a person.'),
    field: z.string().optional().describe('The one field or parameter that is at fault.'),
  }),
});
