// Forms the request body of a chat from a trigger's data.
//   CH1. No text names a user: texts are about alerts, changed reports and digests, whose data names none.
//   CH2. Names of events are clients' texts: none may mention people, or become a link that the chat fetches.
//   CH3. Texts are Unicode: chats refuse JSON with half of a surrogate pair.
import type {EndpointKind} from './endpoint.js';
import type {TriggerType} from './trigger.js';

export type ChatKind = Exclude<EndpointKind, 'webhook' | 'mail'>;
type ChatData = Readonly<Record<string, unknown>>;

const discordCharsMax = 2_000;

/** Types of triggers that chats and mail can get. CH1 */
export const chatTypes = [
  'report.threshold',
  'report.revised',
  'report.digest',
] as const satisfies readonly TriggerType[];

/** The body of a POST to a chat. */
export function chatBody(kind: ChatKind, type: TriggerType, data: ChatData): string {
  return JSON.stringify(bodyOf[kind](chatText(type, data).toWellFormed())); // CH3
}

const bodyOf: Readonly<Record<ChatKind, (text: string) => object>> = {
  slack: (text) => ({text: slackText(text)}),
  discord: (text) => ({content: shortened(text, discordCharsMax), allowed_mentions: {parse: []}}),
  teams: (text) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{type: 'TextBlock', text, wrap: true}],
        },
      },
    ],
  }),
};

/** Text of a message to a chat or by mail. Triggers of alerts and digests have it in their data (src/alerts/texts.ts). */
export function chatText(type: TriggerType, data: ChatData): string {
  if (typeof data.text === 'string') return data.text;
  if (type === 'test') return 'A test message of Millrace: alerts come here.';
  if (type === 'report.revised') {
    const {event, date, before, after} = data;
    return `"${event}" on ${date} changed from ${before} to ${after}: events came late, or were deleted.`;
  }
  const {alert, state, value, bound} = data as {
    alert?: {name?: string};
    state?: string;
    value?: unknown;
    bound?: unknown;
  };
  return `${alert?.name ?? 'An alert'}: ${state ?? ''} (value ${value}, bound ${bound})`;
}

/** Slack's three control characters. CH2 */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The text cut to `charsMax`, never within a surrogate pair. */
export function shortened(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
