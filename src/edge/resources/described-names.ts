// Descriptions of names of events: the catalogue of what is sent.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {
  describedNamesMax,
  describedNamesOf,
  descriptionCharsMax,
  nameStates,
  ownerCharsMax,
} from '../../kept/described-name.js';
import {describedNameAnswer} from '../answers/described-names.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {name as event} from './fields.js';
import {resourceOf} from './resource.js';

const text = (field: string, charsMax: number) => {
  const rule = `${field} must be a text of at most ${charsMax} characters`;
  return z
    .string(rule)
    .refine((given) => [...given].length <= charsMax, rule)
    .meta({maxLength: charsMax});
};
const statesRule = `state must be one of ${nameStates.join(', ')}`;

const shape = z.strictObject({
  description: text('description', descriptionCharsMax).describe('What it means, and when it is sent.'),
  owner: text('owner', ownerCharsMax).describe('Who answers for it: a person or a team.'),
  state: z.enum(nameStates, statesRule).describe('Default: `live`.'),
});
const form = z.strictObject({
  event: event.describe('The name. One description each.'),
  ...shape.partial().shape,
});

const exampleId = 'nm_0123456789abcdef';
const example = {
  event: 'signup',
  description: 'Somebody made an account.',
  owner: 'Growth',
  state: 'live',
} as const;

export const describedNames = resourceOf({
  noun: 'described name',
  name: 'described-name',
  definitions: describedNamesOf,
  countMax: describedNamesMax,
  bodyBytesMax: 8 * 1024,
  roles: {reads: 'reader', changes: 'analyst'},
  form,
  change: shape.partial(),
  answer: describedNameAnswer,
  made: (fields, {name: changedBy, atMs: changedMs}, {kept: {store}}) => {
    const known = describedNamesOf(store)
      .list()
      .find((one) => one.event === fields.event);
    if (known !== undefined)
      throw new RequestFailure(invalidRequest(`event: this name has a description, ${known.id}: change that`, 'event'));
    const {event: called, description = '', owner = '', state = 'live'} = fields;
    return {event: called, description, owner, state, changedMs, changedBy};
  },
  edited: ({description, owner, state}) => [description, owner, state],
  edit:
    ({description, owner, state}, {name: changedBy, atMs: changedMs}) =>
    (held) => ({
      ...held,
      description: description ?? held.description,
      owner: owner ?? held.owner,
      state: state ?? held.state,
      changedMs,
      changedBy,
    }),
  shown: ({id, event: called, description, owner, state, createdMs, changedMs, changedBy}) => ({
    ...{id, event: called, description, owner, state},
    ...{created_at: isoText(createdMs), changed_at: isoText(changedMs), changed_by: changedBy},
  }),
  description: {
    tag: 'Kept',
    about:
      'What a name of events means, who answers for it, and whether it is in use. Nothing is counted or refused by it.',
    example: {
      id: exampleId,
      body: example,
      change: {state: 'retired'},
      answer: {
        id: exampleId,
        ...example,
        created_at: '2026-05-01T09:00:00.000Z',
        changed_at: '2026-05-01T09:00:00.000Z',
        changed_by: 'bootstrap',
        version: 'wWCA3jcP1CzhYdR2cnWR0g',
      },
    },
  },
});
