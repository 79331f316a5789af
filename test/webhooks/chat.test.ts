import {expect, test} from 'vitest';
import {chatBody} from '../../src/webhooks/chat.js';

const data = {text: 'Firing: <!channel> & "a>b" @everyone'};

test('each chat gets its own form, in which a name mentions nobody', () => {
  expect(JSON.parse(chatBody('slack', 'report.threshold', data))).toEqual({
    text: 'Firing: &lt;!channel&gt; &amp; "a&gt;b" @everyone',
  });
  expect(JSON.parse(chatBody('discord', 'report.threshold', data))).toEqual({
    content: data.text,
    allowed_mentions: {parse: []},
  });
  expect(JSON.parse(chatBody('teams', 'report.threshold', data))).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {type: 'AdaptiveCard', body: [{type: 'TextBlock', text: data.text, wrap: true}]},
      },
    ],
  });
});

test('half of a surrogate pair is U+FFFD: chats refuse JSON with one', () => {
  for (const kind of ['slack', 'discord', 'teams'] as const) {
    const body = chatBody(kind, 'report.threshold', {text: 'half \ud83d, whole \ud83d\ude00'});
    expect(body).toContain('half \ufffd, whole \ud83d\ude00');
  }
});

test('discord takes 2,000 characters, and no half of one', () => {
  const {content} = JSON.parse(chatBody('discord', 'report.threshold', {text: 'x'.repeat(1_998) + '🙂🙂'}));
  expect(content).toBe(`${'x'.repeat(1_998)}…`);
});

test('a day that changed, and a test, have a text of their own', () => {
  const revised = {event: 'order_paid', interval: 'day', date: '2026-11-01', before: 5, after: 7};
  expect(JSON.parse(chatBody('slack', 'report.revised', revised)).text).toBe(
    '"order_paid" on 2026-11-01 changed from 5 to 7: events came late, or were deleted.',
  );
  expect(JSON.parse(chatBody('slack', 'test', {})).text).toMatch(/^A test message/);
});
