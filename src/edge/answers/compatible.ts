// Answers to libraries of other services, in the forms that these expect.
import {z} from 'zod';

export const segmentAccepted = z.strictObject({success: z.literal(true)});

export const segmentSettings = z.strictObject({
  integrations: z.strictObject({
    'Segment.io': z.strictObject({
      apiKey: z.string().describe('The key of the request.'),
      apiHost: z.string().describe('Where to send: the host of the request, with `/v1`.'),
      protocol: z.enum(['http', 'https']),
    }),
  }),
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
