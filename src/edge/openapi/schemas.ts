// Named schemas of the description: bodies of requests as clients may send them, bodies of answers.

import {z} from 'zod';
import {reportQuestion} from '../../asks/question/behind.js';
import {watched} from '../../asks/question/counts.js';
import {followed, funnel} from '../../asks/question/funnel.js';
import {kinds, question} from '../../asks/question/kinds.js';
import {shared as sharedByLists, traits} from '../../asks/question/lists.js';
import {
  anyEvents,
  breakdown,
  broken,
  bucketed,
  chosenEvents,
  compare,
  condition,
  deed,
  range,
  timezone,
  users as usersMeant,
  userWhere,
  where,
} from '../../asks/question/members.js';
import {activeAnswer} from '../answers/active-users.js';
import {alertPreviewAnswer} from '../answers/alerts.js';
import {callerAnswer} from '../answers/caller.js';
import {changeLine, changesAnswer} from '../answers/changes.js';
import {
  amplitudeAccepted,
  amplitudeRefusal,
  batchAccepted,
  jitsuAccepted,
  mixpanelAccepted,
  posthogAccepted,
  posthogFlags,
  rudderSettings,
  segmentAccepted,
  segmentSettings,
  trackAccepted,
  umamiAccepted,
} from '../answers/compatible.js';
import {countsAnswer, eventCountsAnswer, seriesAnswer} from '../answers/counts.js';
import {lifecycleAnswer, pathsAnswer, retentionAnswer, stickinessAnswer} from '../answers/engagement.js';
import {errorAnswer} from '../answers/error.js';
import {historyAnswer, storedEvent} from '../answers/events.js';
import {instant, pageEnd, version} from '../answers/fields.js';
import {funnelAnswer, funnelAnswers, funnelUsersAnswer, walkedFunnelAnswer} from '../answers/funnels.js';
import {
  batchAnswer,
  batchErrorAnswer,
  identifyAnswer,
  linksAnswer,
  preflightAnswer,
  trackAnswer,
} from '../answers/ingestion.js';
import {createdKeyAnswer, keyChangedAnswer, keysAnswer, listedKey, revokedKeyAnswer} from '../answers/keys.js';
import {
  hiddenNamesAnswer,
  hiddenNamesChangedAnswer,
  hiddenPropertiesAnswer,
  hiddenPropertiesChangedAnswer,
  namesAnswer,
  propertiesAnswer,
  traitsAnswer,
  valuesAnswer,
} from '../answers/lists.js';
import {healthAnswer, readinessAnswer} from '../answers/operating.js';
import {anyAnswer, failedAnswer, queryAnswer, questionAnswer} from '../answers/query.js';
import {rejectedAnswer} from '../answers/rejected.js';
import {userFunnelsAnswer} from '../answers/saved-funnels.js';
import {
  deletedAnswer,
  deletion,
  deletionAnswer,
  deletionPendingAnswer,
  goneAnswer,
  nameDeletedAnswer,
  nameDeletionPendingAnswer,
  nameGoneAnswer,
  profileAnswer,
  unknownUserAnswer,
  usersAnswer,
} from '../answers/users.js';
import {
  deliveriesAnswer,
  replayedWebhookAnswer,
  rotatedWebhookAnswer,
  testedWebhookAnswer,
} from '../answers/webhooks.js';
import {assistantMessage} from '../mcp/route.js';
import type {JsonSchema} from '../query/query.js';
import {resources} from '../resources/all.js';
import {outdatedAnswer, type Resource, removedAnswer} from '../resources/resource.js';
import {alertOptions, previewBody} from '../routes/alert-body.js';
import {hiddenNames, hiddenProperties} from '../routes/hidden.js';
import {keyOptions, newKeyBody} from '../routes/keys.js';
import {linksBody} from '../routes/links.js';
import {queryBody, severalBody} from '../routes/query.js';
import {noFields, replayBody} from '../routes/webhook-body.js';
import {
  amplitudeCalls,
  mixpanelCalls,
  plausibleCall,
  posthogCalls,
  segmentBatch,
  segmentCall,
  umamiCall,
} from './operations/compatible.js';
import {batch, event} from './operations/events.js';
import {identify} from './operations/users.js';

/** `TraitValuesQuestion` */
export const nameOfKind = (kind: string): string =>
  `${kind.replaceAll(/(?:^|_)./g, (start) => start.at(-1)!.toUpperCase())}Question`;

/** `SavedReport` for a saved report. */
export const schemaName = ({noun}: Pick<Resource, 'noun'>): string =>
  noun.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());

const ofResources = (
  schemas: (one: Resource, name: string) => readonly (readonly [string, z.ZodType])[],
): Record<string, z.ZodType> => Object.fromEntries(resources.flatMap((one) => schemas(one, schemaName(one))));

type Named = Readonly<Record<string, z.ZodType>>;

const requests: Named = {
  Event: event,
  EventBatch: batch,
  Identify: identify,
  SegmentCall: segmentCall,
  SegmentBatch: segmentBatch,
  PosthogCalls: posthogCalls,
  MixpanelCalls: mixpanelCalls,
  AmplitudeCalls: amplitudeCalls,
  UmamiCall: umamiCall,
  PlausibleCall: plausibleCall,
  IdLinks: linksBody,
  KeyOptions: keyOptions,
  NewKey: newKeyBody,
  HideNames: hiddenNames,
  HideProperties: hiddenProperties,
  WebhookReplay: replayBody,
  NoFields: noFields,
  AlertOptions: alertOptions,
  AlertPreviewed: previewBody,
  PreviewedThreshold: previewBody.options[0],
  PreviewedAbsence: previewBody.options[1],
  PreviewedFunnelDrop: previewBody.options[2],
  ...Object.fromEntries(Object.entries(kinds).map(([kind, schema]) => [nameOfKind(kind), schema])),
  WatchedQuestion: watched,
  FollowedQuestion: followed,
  FunnelSteps: funnel.shape.steps,
  FunnelExclusions: funnel.shape.exclude,
  EventsThatCount: watched.shape.events,
  Condition: condition,
  Conditions: where,
  ConditionsOnUsers: userWhere,
  UsersMeant: usersMeant,
  EventsMeant: anyEvents,
  EventMeant: chosenEvents,
  ReportRange: range,
  ReportTimezone: timezone,
  Breakdown: broken,
  ReportBreakdown: breakdown,
  Bucketed: z.strictObject({where, users: usersMeant, ...bucketed}),
  Listed: traits.pick({timezone: true, limit: true, cursor: true}),
  Interval: bucketed.interval,
  WeekStart: bucketed.week_start,
  Compare: compare,
  Deed: deed,
  ...sharedByLists,
  Question: question,
  ReportQuestion: reportQuestion,
  Questions: severalBody,
  Query: queryBody,
  AssistantMessage: assistantMessage,
  ...ofResources(({schemas: {form, change}}, name) => [
    [`New${name}`, form],
    [`${name}Change`, change],
  ]),
};

const responses: Named = {
  Error: errorAnswer,
  ErrorValue: errorAnswer.shape.error,
  Tracked: trackAnswer,
  BatchOutcome: batchAnswer,
  BatchError: batchErrorAnswer,
  Identified: identifyAnswer,
  SegmentAccepted: segmentAccepted,
  SegmentSettings: segmentSettings,
  PosthogAccepted: posthogAccepted,
  PosthogFlags: posthogFlags,
  MixpanelAccepted: mixpanelAccepted,
  AmplitudeAccepted: amplitudeAccepted,
  AmplitudeRefusal: amplitudeRefusal,
  BatchAccepted: batchAccepted,
  JitsuAccepted: jitsuAccepted,
  UmamiAccepted: umamiAccepted,
  TrackAccepted: trackAccepted,
  RudderSettings: rudderSettings,
  StoredEvent: storedEvent,
  History: historyAnswer,
  RejectedEvents: rejectedAnswer,
  Profile: profileAnswer,
  Deletion: deletion,
  Deleted: deletedAnswer,
  DeletionPending: deletionPendingAnswer,
  DeletionState: deletionAnswer,
  UserUnknown: unknownUserAnswer,
  UserGone: goneAnswer,
  NameDeleted: nameDeletedAnswer,
  NameDeletionPending: nameDeletionPendingAnswer,
  NameGone: nameGoneAnswer,
  EventCounts: countsAnswer,
  EventSeries: seriesAnswer,
  CountedEvents: eventCountsAnswer,
  ActiveUsers: activeAnswer,
  Funnel: funnelAnswer,
  WalkedFunnel: walkedFunnelAnswer,
  Funnels: funnelAnswers,
  FunnelUsers: funnelUsersAnswer,
  UserFunnels: userFunnelsAnswer,
  Retention: retentionAnswer,
  Lifecycle: lifecycleAnswer,
  Stickiness: stickinessAnswer,
  Paths: pathsAnswer,
  Names: namesAnswer,
  Properties: propertiesAnswer,
  Traits: traitsAnswer,
  Values: valuesAnswer,
  HiddenNames: hiddenNamesAnswer,
  HiddenNamesChanged: hiddenNamesChangedAnswer,
  HiddenProperties: hiddenPropertiesAnswer,
  HiddenPropertiesChanged: hiddenPropertiesChangedAnswer,
  Users: usersAnswer,
  AnyAnswer: anyAnswer,
  AnsweredQuestion: questionAnswer,
  FailedQuestion: failedAnswer,
  Answers: queryAnswer,
  Changes: changesAnswer,
  Change: changeLine,
  TestedWebhook: testedWebhookAnswer,
  RotatedWebhook: rotatedWebhookAnswer,
  ReplayedWebhook: replayedWebhookAnswer,
  Deliveries: deliveriesAnswer,
  AlertPreview: alertPreviewAnswer,
  Key: listedKey,
  KeyChanged: keyChangedAnswer,
  Keys: keysAnswer,
  CreatedKey: createdKeyAnswer,
  Caller: callerAnswer,
  RevokedKey: revokedKeyAnswer,
  StoredLinks: linksAnswer,
  Preflight: preflightAnswer,
  Health: healthAnswer,
  Readiness: readinessAnswer,
  Removed: removedAnswer,
  Page: z.strictObject(pageEnd),
  OfBuckets: lifecycleAnswer.pick({interval: true, timezone: true, skipped: true, meta: true}),
  Kept: z.strictObject({id: z.string(), name: z.string(), created_at: instant(), version}),
  Outdated: outdatedAnswer,
  ...ofResources(({schemas: {answer, created, list}}, name) => [
    ...(created === answer ? [] : [[`Created${name}`, created] as const]),
    [name, answer],
    [`${name}s`, list],
  ]),
};

const nameOf = new Map([...Object.entries(requests), ...Object.entries(responses)].map(([name, one]) => [one, name]));
const place = (name: string): string => `#/components/schemas/${name}`;

export function referenceTo(schema: z.ZodType): JsonSchema {
  const name = nameOf.get(schema);
  if (name === undefined) throw new Error('a schema of an operation has no name');
  return {$ref: place(name)};
}

/** Names of schemas that answers alone have. */
export const schemasOfAnswers: ReadonlySet<string> = new Set(Object.keys(responses));

export function describedSchemas(): Record<string, JsonSchema> {
  return {...converted(requests, 'input'), ...converted(responses, 'output', requests)};
}

/** `others`: schemas that these may refer to. */
function converted(schemas: Named, io: 'input' | 'output', others: Named = {}): Record<string, JsonSchema> {
  const registry = z.registry<{id: string}>();
  for (const [id, schema] of Object.entries({...others, ...schemas})) registry.add(schema, {id});
  const made = z.toJSONSchema(registry, {uri: place, io, override: ({jsonSchema}) => shortened(jsonSchema)});
  return Object.fromEntries(
    Object.entries(made.schemas)
      .filter(([name]) => name in schemas)
      .map(([name, {$schema, $id, ...schema}]) => [name, schema as JsonSchema]),
  );
}

type Override = Parameters<NonNullable<z.core.ToJSONSchemaParams['override']>>[0]['jsonSchema'];

/**
 * Removes the bounds of safe integers, which zod adds to each integer: every number of the API is a double. A plain type that may be
 * null is a pair of types.
 */
function shortened(schema: Override): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const [plain, none] = (schema.anyOf ?? []) as Override[];
  if (schema.anyOf?.length !== 2 || none?.type !== 'null' || typeof plain?.type !== 'string') return;
  if (Object.keys(plain).some((keyword) => keyword !== 'type' && keyword !== 'format' && keyword !== 'pattern')) return;
  delete schema.anyOf;
  Object.assign(schema, plain, {type: [plain.type, 'null']});
}
