// Answers to libraries of other services, in the forms that these expect.
import {z} from 'zod';

export const segmentAccepted = z.strictObject({success: z.literal(true)});

export const posthogAccepted = z.strictObject({status: z.literal(1)});
export const posthogFlags = z.strictObject({flags: z.strictObject({}), featureFlags: z.strictObject({})});

export const mixpanelAccepted = z.union([z.literal(1), z.strictObject({status: z.literal(1), error: z.null()})]);

export const amplitudeAccepted = z.strictObject({
  code: z.literal(200),
  events_ingested: z.int().describe('Calls that were not refused.'),
  payload_size_bytes: z.int().describe('Bytes of the body, decompressed.'),
  server_upload_time: z.int().describe('Time of the answer, epoch ms.'),
});
export const amplitudeRefusal = z.strictObject({
  code: z.int().min(400).max(599).describe('The status. Its libraries read it here.'),
  error: z.string().min(1).describe('`Invalid API key`, after which they give up, or a sentence for a person.'),
});

/** PostHog and Amplitude share the path `/batch`. */
export const batchAccepted = z.union([posthogAccepted, amplitudeAccepted]);
export const jitsuAccepted = z.strictObject({ok: z.literal(true)});

const noId = z.literal('').describe('Its script reads no id.');
export const umamiAccepted = z.strictObject({cache: z.literal(''), sessionId: noId, visitId: noId});

/** Mixpanel and OpenPanel share the path `/track`. */
export const trackAccepted = z.union([mixpanelAccepted, z.strictObject({})]);

export const segmentSettings = z.strictObject({
  integrations: z.strictObject({
    'Segment.io': z.strictObject({
      apiKey: z.string().describe('The key of the request.'),
      apiHost: z.string().describe('Where to send: the host of the request, with `/v1`.'),
      protocol: z.enum(['http', 'https']),
    }),
  }),
  metrics: z.strictObject({sampleRate: z.literal(0).describe('The library sends no figures about itself.')}),
});

const off = z.strictObject({enabled: z.literal(false)});

export const rudderSettings = z.strictObject({
  source: z.strictObject({
    id: z.string().describe('Id of the key.'),
    name: z.string(),
    writeKey: z.string().describe('The key of the request.'),
    enabled: z.literal(true),
    workspaceId: z.string(),
    config: z.strictObject({statsCollection: z.strictObject({errors: off, metrics: off})}),
    destinations: z.array(z.never()),
  }),
  updatedAt: z.string(),
});
