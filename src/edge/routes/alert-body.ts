// An alert as the API writes it, and as it is stored (src/alerts/definition.ts).
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {funnelStepsMax, idCharsMax} from '../../../actors/limits.js';
import type {AlertState} from '../../alerts/alert-state.js';
import {
  type Alert,
  alertEndpointsMax,
  alertMinutesMax,
  alertMinutesMin,
  forMax,
  funnelDaysMax,
  lagKinds,
  lagSecondsMax,
  type Rule,
  repeatMinutesMax,
  repeatMinutesMin,
} from '../../alerts/definition.js';
import {timeOfDay} from '../../alerts/quiet-hours.js';
import {type WatchedQuestion, watched} from '../../asks/question/counts.js';
import {isName} from '../../ingest/validate.js';
import type {Definition} from '../../kept/definition.js';
import {zoneOf} from '../../zone.js';
import type {AlertAnswer} from '../answers/alerts.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {withoutEmpty} from '../query/read-question.js';
import {readQuestion} from './json-fields.js';

const alertKinds = ['threshold', 'absence', 'funnel_drop', 'stalled', 'lag'] as const;

const wholeOf = (field: string, min: number, max: number) => {
  const rule = `${field} must be a whole number from ${min} to ${max}`;
  return z.int(rule).min(min, rule).max(max, rule);
};
const numberOf = (field: string, min: number, max: number) => {
  const rule = `${field} must be a number from ${min} to ${max}`;
  return z.number(rule).min(min, rule).max(max, rule);
};

const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;
const endpointsRule = `endpoints must be up to ${alertEndpointsMax} ids of endpoints`;
const quietRule =
  'quiet_hours must have a timezone (an IANA name, or an offset like -03:30), and from and to as HH:MM, which differ';
const kindRule = `kind must be one of ${alertKinds.join(', ')}`;
const lagRule = `lag must be one of ${lagKinds.join(', ')}`;
const funnelRule = 'funnel must be the id of a saved funnel';
const pausedRule = 'paused must be true or false';
const boundMax = 1e15;

/** Fields of every alert. */
const named = {
  name: z
    .string(nameRule)
    .refine(isName, nameRule)
    .meta({minLength: 1, maxLength: idCharsMax})
    .describe('What messages call it.'),
  endpoints: z
    .array(z.string(endpointsRule), endpointsRule)
    .max(alertEndpointsMax, endpointsRule)
    .optional()
    .describe(
      'Receivers: ids of webhooks. Default: those that subscribe to `report.threshold`, of all names or this one; of `stalled`, to `funnel.stalled` of the funnel.',
    ),
  paused: z.boolean(pausedRule).optional().describe('It is not evaluated, and keeps its state. Default: `false`.'),
};

/** Fields of every alert with a state. */
const ofAll = {
  ...named,
  for: wholeOf('for', 1, forMax)
    .optional()
    .describe(
      'Publications in a row for which the condition must hold, one for each `REPORT_REFRESH_SECONDS`; of `lag`, evaluations, one ' +
        'each 5 s. Default: 1.',
    ),
  repeat_minutes: wholeOf('repeat_minutes', repeatMinutesMin, repeatMinutesMax)
    .optional()
    .describe('While it fires, the message is repeated after this many minutes. Default: no repetition.'),
  quiet_hours: z
    .strictObject({timezone: z.string(quietRule), from: z.string(quietRule), to: z.string(quietRule)}, quietRule)
    .refine(areHours, quietRule)
    .optional()
    .describe('Chats get one message at the end of these hours. Webhooks get theirs at once.'),
};

const {name: _, ...options} = ofAll;
/** What alerts with a state have in common, beside their name. */
export const alertOptions = z.strictObject(options);

const question = watched.describe('What is counted, as `POST /v1/query` takes it, without a range.');
const minutes = wholeOf('minutes', alertMinutesMin, alertMinutesMax).describe(
  'Length of the window, which ends with what the published reports include (`Report-As-Of`).',
);

const ofKind = {
  threshold: {
    question,
    minutes,
    gte: numberOf('gte', 0, boundMax).optional().describe('It fires at this value or above. Either this, or `lte`.'),
    lte: numberOf('lte', 0, boundMax).optional().describe('It fires at this value or below.'),
  },
  absence: {question, minutes},
  funnel_drop: {
    funnel: z.string(funnelRule).describe('Id of a saved funnel.'),
    days: wholeOf('days', 1, funnelDaysMax).describe('Length of the range whose conversion is judged.'),
    below: numberOf('below', 0, 1)
      .optional()
      .describe('It fires below this conversion rate, 0 to 1. This, `lower_by_percent`, or both.'),
    lower_by_percent: numberOf('lower_by_percent', 0, 100)
      .optional()
      .describe('It fires where the rate is lower by so much than over the `days` before.'),
    min_entered: wholeOf('min_entered', 1, 1_000_000_000)
      .optional()
      .describe('With fewer users at step 1 nothing is judged. Default: 1.'),
  },
  stalled: {
    funnel: z.string(funnelRule).describe('Id of a saved funnel.'),
    step: wholeOf('step', 1, funnelStepsMax - 1).describe('The step that was reached, from 1. It is not the last one.'),
    minutes: wholeOf('minutes', alertMinutesMin, alertMinutesMax).describe(
      'Minutes after it, by the times of events, in which the next step has to come.',
    ),
  },
  lag: {
    lag: z
      .enum(lagKinds, lagRule)
      .describe(
        '`partition`: of the fold behind the log; `report`: age of reports; `deletion`: of the oldest pending one; `webhook`: of deliveries.',
      ),
    seconds: wholeOf('seconds', 1, lagSecondsMax).describe('It fires above this.'),
  },
} as const;

export const newAlertBody = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({kind: z.literal('threshold'), ...ofAll, ...ofKind.threshold}),
    z.strictObject({kind: z.literal('absence'), ...ofAll, ...ofKind.absence}),
    z.strictObject({kind: z.literal('funnel_drop'), ...ofAll, ...ofKind.funnel_drop}),
    z.strictObject({kind: z.literal('stalled'), ...named, ...ofKind.stalled}),
    z.strictObject({kind: z.literal('lag'), ...ofAll, ...ofKind.lag}),
  ],
  kindRule,
);
export type NewAlert = z.infer<typeof newAlertBody>;

/** Fields of a preview. Lag and stalled have none: past lag is not stored, and stalled counts nothing. */
const previewed = {...ofAll, name: ofAll.name.optional()};
export const previewBody = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({kind: z.literal('threshold'), ...previewed, ...ofKind.threshold}),
    z.strictObject({kind: z.literal('absence'), ...previewed, ...ofKind.absence}),
    z.strictObject({kind: z.literal('funnel_drop'), ...previewed, ...ofKind.funnel_drop}),
  ],
  'kind must be one of threshold, absence, funnel_drop: past lag is not stored, and stalled counts nothing',
);

const all = {...ofKind.stalled, ...ofAll, ...ofKind.threshold, ...ofKind.absence, ...ofKind.funnel_drop, ...ofKind.lag};

/** Fields of a change. With them the alert must be valid for its kind. */
export const alertChange = z
  .strictObject(
    Object.fromEntries(Object.entries(all).map(([field, form]) => [field, (form as z.ZodType).nullable().optional()])),
  )
  .describe('Fields that change; `null` takes an optional one away.');

function areHours({timezone, from, to}: {timezone: string; from: string; to: string}): boolean {
  const times = [timeOfDay(from), timeOfDay(to)];
  return zoneOf(timezone) !== undefined && !times.includes(undefined) && times[0] !== times[1];
}

/** Members that a rule had before it held a question, and where they are now. */
const inQuestion: Readonly<Record<string, string>> = {
  event: '{"report": "counts", "events": [{"event": "signup"}]}',
  where: '{"report": "counts", "where": ["plan eq pro"]}',
  user_where: '{"report": "counts", "users": {"where": ["plan eq pro"]}}',
  count: '{"report": "counts", "measure": {"of": "users"}}',
};

/** A change has no kind. @throws RequestFailure */
export function readAlert<Form extends z.ZodType>(form: Form, body: object): z.output<Form> {
  const {kind = 'threshold'} = body as {readonly kind?: unknown};
  const hasQuestion = kind === 'threshold' || kind === 'absence';
  return readQuestion(form, body, hasQuestion ? inQuestion : {});
}

/** The rule that the API's fields describe. `zone`: that of a question which names none. @throws RequestFailure */
export function ruleOf(body: z.infer<typeof newAlertBody> | z.infer<typeof previewBody>, zone: string): Rule {
  switch (body.kind) {
    case 'threshold': {
      const {minutes: length, gte, lte} = body;
      if ((gte === undefined) === (lte === undefined)) throw refused('either gte or lte is required', 'gte');
      const op = gte === undefined ? 'lte' : 'gte';
      return {kind: 'threshold', question: normal(body.question, zone), minutes: length, op, bound: (gte ?? lte)!};
    }
    case 'absence':
      if (body.question.measure?.of === 'users')
        throw refused('/question/measure is for a threshold: an absence counts events', '/question/measure');
      return {kind: 'absence', question: normal(body.question, zone), minutes: body.minutes};
    case 'funnel_drop': {
      const {funnel, days, below, lower_by_percent: lowerBy, min_entered: minEntered = 1} = body;
      if (below === undefined && lowerBy === undefined)
        throw refused('below, lower_by_percent, or both are required', 'below');
      const bounds = {...(below === undefined ? {} : {below}), ...(lowerBy === undefined ? {} : {lowerBy})};
      return {kind: 'funnel_drop', funnel, days, ...bounds, minEntered};
    }
    case 'stalled':
      return {kind: 'stalled', funnel: body.funnel, step: body.step, minutes: body.minutes};
    case 'lag':
      return {kind: 'lag', of: body.lag, seconds: body.seconds};
  }
}

const refused = (message: string, field: string): RequestFailure => new RequestFailure(invalidRequest(message, field));

/** It means the same whatever the zone of the service becomes. */
function normal(question: WatchedQuestion, zone: string): WatchedQuestion {
  // The order of members is always the same: the text of the rule says whether it is another one (alert-record.ts AR3).
  const {timezone = zone, measure, ...chosen} = withoutEmpty(question) as WatchedQuestion;
  return {...chosen, timezone, ...(measure && {measure})};
}

/** @throws RequestFailure */
export function alertOf(body: NewAlert, zone: string): Omit<Alert, keyof Definition> {
  const {name, endpoints, paused = false} = body;
  const alert = {
    name,
    rule: ruleOf(body, zone),
    for: 1,
    ...(endpoints === undefined ? {} : {endpoints: [...new Set(endpoints)]}),
    isPaused: paused,
  };
  if (body.kind === 'stalled') return alert;
  const {for: held = 1, repeat_minutes: repeatMinutes, quiet_hours: quietHours} = body;
  return {
    ...alert,
    for: held,
    ...(repeatMinutes === undefined ? {} : {repeatMinutes}),
    ...(quietHours === undefined ? {} : {quietHours}),
  };
}

/** The alert in the form of the API: `alertOf` of it is the alert. */
export function bodyOf({name, rule, endpoints, isPaused, ...alert}: Omit<Alert, keyof Definition>): NewAlert {
  return {
    ...fieldsOf(rule),
    name,
    ...(endpoints === undefined ? {} : {endpoints: [...endpoints]}),
    ...(rule.kind === 'stalled' ? {} : {for: alert.for}),
    ...(alert.repeatMinutes === undefined ? {} : {repeat_minutes: alert.repeatMinutes}),
    ...(alert.quietHours === undefined ? {} : {quiet_hours: alert.quietHours}),
    paused: isPaused,
  } as NewAlert;
}

function fieldsOf(rule: Rule): object {
  switch (rule.kind) {
    case 'threshold': {
      const {op, bound, ...fields} = rule;
      return {...fields, [op]: bound};
    }
    case 'funnel_drop': {
      const {kind, funnel, days, below, lowerBy, minEntered} = rule;
      const bounds = {
        ...(below === undefined ? {} : {below}),
        ...(lowerBy === undefined ? {} : {lower_by_percent: lowerBy}),
      };
      return {kind, funnel, days, ...bounds, min_entered: minEntered};
    }
    case 'absence':
    case 'stalled':
      return rule;
    case 'lag':
      return {kind: rule.kind, lag: rule.of, seconds: rule.seconds};
  }
}

/** `state`: undefined before the first evaluation. `reaches`: number of webhooks and chats that hear of it (audience.ts). */
export function shownAlert(
  stored: Alert,
  state: AlertState | undefined,
  reaches: number,
): Omit<AlertAnswer, 'version'> {
  const {id, v: _, createdMs, ...alert} = stored;
  return {
    id,
    ...bodyOf(alert),
    created_at: isoText(createdMs),
    reaches,
    state:
      state === undefined
        ? null
        : {
            state: state.state,
            since: isoText(state.sinceMs),
            value: state.value,
            report_log_position: state.positions === '' ? null : state.positions,
          },
  } as Omit<AlertAnswer, 'version'>;
}
