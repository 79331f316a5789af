// Named schemas of the description: bodies of requests as clients may send them, bodies of answers.
import {z} from 'zod';
import * as answers from '../answers.js';
import type {JsonSchema} from '../query/query.js';
import {alertChange, newAlertBody, previewBody} from '../routes/alert-body.js';
import {hiddenNames, hiddenProperties} from '../routes/hidden.js';
import {keyOptions, newKeyBody} from '../routes/keys.js';
import {linksBody} from '../routes/links.js';
import {newFunnelBody} from '../routes/saved-funnels.js';
import {newWebhookBody, noFields, replayBody, webhookChange} from '../routes/webhook-body.js';
import {batch, event} from './operations/events.js';
import {identify} from './operations/users.js';

const requests: Readonly<Record<string, z.ZodType>> = {
  Event: event,
  EventBatch: batch,
  Identify: identify,
  Links: linksBody,
  KeyOptions: keyOptions,
  NewKey: newKeyBody,
  HideNames: hiddenNames,
  HideProperties: hiddenProperties,
  NewFunnel: newFunnelBody,
  NewWebhook: newWebhookBody,
  WebhookChange: webhookChange,
  WebhookReplay: replayBody,
  NoFields: noFields,
  NewAlert: newAlertBody,
  AlertChange: alertChange,
  AlertPreviewed: previewBody,
};

const responses: Readonly<Record<string, z.ZodType>> = {
  Error: answers.errorAnswer,
  ErrorValue: answers.errorAnswer.shape.error,
  Tracked: answers.trackAnswer,
  BatchOutcome: answers.batchAnswer,
  BatchError: answers.batchErrorAnswer,
  Identified: answers.identifyAnswer,
  StoredEvent: answers.storedEvent,
  History: answers.historyAnswer,
  RejectedEvents: answers.rejectedAnswer,
  Profile: answers.profileAnswer,
  Deletion: answers.deletion,
  Deleted: answers.deletedAnswer,
  DeletionPending: answers.deletionPendingAnswer,
  DeletionState: answers.deletionAnswer,
  UserUnknown: answers.unknownUserAnswer,
  UserGone: answers.goneAnswer,
  EventCounts: answers.countsAnswer,
  EventSeries: answers.seriesAnswer,
  CountedEvents: answers.eventCountsAnswer,
  ActiveUsers: answers.activeAnswer,
  Funnel: answers.funnelAnswer,
  WalkedFunnel: answers.walkedFunnelAnswer,
  Funnels: answers.funnelAnswers,
  FunnelUsers: answers.funnelUsersAnswer,
  SavedFunnel: answers.savedFunnelAnswer,
  SavedFunnels: answers.savedFunnelsAnswer,
  DeletedFunnel: answers.deletedFunnelAnswer,
  UserFunnels: answers.userFunnelsAnswer,
  Retention: answers.retentionAnswer,
  Lifecycle: answers.lifecycleAnswer,
  Stickiness: answers.stickinessAnswer,
  Paths: answers.pathsAnswer,
  Names: answers.namesAnswer,
  Properties: answers.propertiesAnswer,
  Traits: answers.traitsAnswer,
  Values: answers.valuesAnswer,
  HiddenNames: answers.hiddenNamesAnswer,
  HiddenProperties: answers.hiddenPropertiesAnswer,
  Users: answers.usersAnswer,
  Changes: answers.changesAnswer,
  Change: answers.changeLine,
  Webhook: answers.webhookAnswer,
  CreatedWebhook: answers.createdWebhookAnswer,
  Webhooks: answers.webhooksAnswer,
  DeletedWebhook: answers.deletedWebhookAnswer,
  TestedWebhook: answers.testedWebhookAnswer,
  RotatedWebhook: answers.rotatedWebhookAnswer,
  ReplayedWebhook: answers.replayedWebhookAnswer,
  Deliveries: answers.deliveriesAnswer,
  Alert: answers.alertAnswer,
  Alerts: answers.alertsAnswer,
  AlertPreview: answers.alertPreviewAnswer,
  DeletedAlert: answers.deletedAlertAnswer,
  Key: answers.listedKey,
  Keys: answers.keysAnswer,
  CreatedKey: answers.createdKeyAnswer,
  RevokedKey: answers.revokedKeyAnswer,
  StoredLinks: answers.linksAnswer,
  Preflight: answers.preflightAnswer,
  Health: answers.healthAnswer,
  Readiness: answers.readinessAnswer,
};

const nameOf = new Map([...Object.entries(requests), ...Object.entries(responses)].map(([name, one]) => [one, name]));
const place = (name: string): string => `#/components/schemas/${name}`;

export function referenceTo(schema: z.ZodType): JsonSchema {
  const name = nameOf.get(schema);
  if (name === undefined) throw new Error('a schema of an operation has no name');
  return {$ref: place(name)};
}

export function describedSchemas(): Record<string, JsonSchema> {
  return {...converted(requests, 'input'), ...converted(responses, 'output')};
}

function converted(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{id: string}>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, {id});
  const made = z.toJSONSchema(registry, {uri: place, io, override: ({jsonSchema}) => withoutIntegerBound(jsonSchema)});
  return Object.fromEntries(
    Object.entries(made.schemas).map(([name, {$schema, $id, ...schema}]) => [name, schema as JsonSchema]),
  );
}

/** Removes the bound of safe integers, which zod adds to each integer: every number of the API is a double. */
function withoutIntegerBound(schema: {maximum?: number}): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
