// Digests: the numbers of a saved report or a board, sent to endpoints.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {zoneNameIn} from '../../asks/question/times.js';
import {type Digest, digestEndpointsMax, digestsMax, digestsOf, weekdays} from '../../digests/definition.js';
import {nameOf, reachedBy} from '../../digests/reached.js';
import {toldName} from '../../digests/told.js';
import type {KeptStore} from '../../kept/kept-store.js';
import {forgetRecord} from '../../kept/record-sweep.js';
import {zoneOf} from '../../zone.js';
import {digestAnswer} from '../answers/digests.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {resourceOf} from './resource.js';

const ofRule = 'of must be the id of a saved report or of a board';
const hourMax = 23;
const hourRule = `hour must be a whole number from 0 to ${hourMax}`;
const weekdayRule = `weekday must be one of ${weekdays.join(', ')}`;
const zoneRule = 'timezone must be an IANA name such as Europe/Berlin, or an offset like -03:30';
const endpointsRule = `endpoints must be up to ${digestEndpointsMax} ids of endpoints`;

const form = z.strictObject({
  of: z.string(ofRule).describe('Id of a saved report or a board.'),
  hour: z.int(hourRule).min(0, hourRule).max(hourMax, hourRule).describe('It is due at this hour of the zone.'),
  weekday: z.enum(weekdays, weekdayRule).optional().describe('Once a week, on this day. Default: daily.'),
  timezone: z
    .string(zoneRule)
    .refine((text) => zoneOf(text) !== undefined, zoneRule)
    .optional()
    .describe('Default: that of the service.'),
  endpoints: z
    .array(z.string(endpointsRule), endpointsRule)
    .max(digestEndpointsMax, endpointsRule)
    .optional()
    .describe('Ids of webhooks. Default: those that subscribe to `report.digest`, of all names or this one.'),
  paused: z
    .boolean('paused must be true or false')
    .optional()
    .describe('What is due meanwhile is never sent. Default: `false`.'),
});
type Content = Omit<Digest, 'v' | 'id' | 'createdMs'>;

/** `before`: what is changed. What it named and was deleted since must not keep it from being paused. @throws RequestFailure */
function checked(store: KeptStore, content: Content, before?: Content): Content {
  const {of, endpoints = []} = content;
  if (of !== before?.of && nameOf(store, of) === undefined)
    throw new RequestFailure(invalidRequest('there is no such saved report or board', 'of'));
  const missing = endpoints.find((id) => !before?.endpoints?.includes(id) && store.endpoints.get(id) === undefined);
  if (missing !== undefined) throw new RequestFailure(invalidRequest(`there is no endpoint ${missing}`, 'endpoints'));
  return content;
}

const exampleId = 'dg_0123456789abcdef';

export const digests = resourceOf({
  noun: 'digest',
  name: 'digest',
  definitions: digestsOf,
  countMax: digestsMax,
  bodyBytesMax: 64 * 1024,
  roles: {reads: 'analyst', changes: 'analyst'},
  form,
  change: form.partial().extend({
    weekday: form.shape.weekday.nullable(),
    timezone: form.shape.timezone.nullable(),
    endpoints: form.shape.endpoints.nullable(),
    paused: form.shape.paused.nullable(),
  }),
  answer: digestAnswer,
  made: ({of, hour, weekday, timezone, endpoints, paused}, _, front) =>
    checked(front.kept.store, {
      ...{of, hour, timezone: timezone ?? zoneNameIn(front), isPaused: paused ?? false},
      ...(weekday && {weekday}),
      ...(endpoints && {endpoints}),
    }),
  edited: ({of, hour, weekday, timezone, endpoints, isPaused}) => [of, hour, weekday, timezone, endpoints, isPaused],
  edit: (change, _, front) => (held) => {
    const {weekday, endpoints, ...rest} = held;
    const day = change.weekday === undefined ? weekday : change.weekday;
    const told = change.endpoints === undefined ? endpoints : change.endpoints;
    const edited: Digest = {
      ...rest,
      ...{of: change.of ?? held.of, hour: change.hour ?? held.hour},
      timezone: change.timezone === undefined ? held.timezone : (change.timezone ?? zoneNameIn(front)),
      isPaused: change.paused === undefined ? held.isPaused : (change.paused ?? false),
      ...(day && {weekday: day}),
      ...(told && {endpoints: told}),
    };
    checked(front.kept.store, edited, held);
    return edited;
  },
  shown: (digest, {kept: {store}}) => {
    const {id, of, hour, weekday, timezone, endpoints, isPaused, createdMs} = digest;
    return {
      ...{id, of, name: nameOf(store, of) ?? null, ...(weekday && {weekday}), hour, timezone},
      ...(endpoints && {endpoints}),
      ...{paused: isPaused, created_at: isoText(createdMs), reaches: reachedBy(store, digest).length},
    };
  },
  // A sweep deletes what is left.
  forget: (id, {kept: {store}}) => forgetRecord(store.bucket, toldName(id)),
  description: {
    tag: 'Alerts',
    about:
      'It sends `report.digest` daily or weekly: numbers of a report or board over finished days, and of the range before.',
    example: {
      id: exampleId,
      body: {of: 'sr_0123456789abcdef', hour: 9, weekday: 'monday', timezone: 'Europe/Berlin'},
      change: {hour: 8, weekday: null},
    },
  },
});
