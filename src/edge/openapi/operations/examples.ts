// Examples that several operations share: those of /openapi.json tell one story, and tests play it.

/** The purchase of ada, as history and her profile show it. */
export const purchase = {
  id: '2-1',
  event: 'purchase',
  userId: 'ada',
  anonymousId: null,
  properties: {amount: 30, currency: 'EUR'},
  timestamp: '2026-05-01T12:30:00.000Z',
  received_at: '2026-05-01T12:30:01.250Z',
  messageId: 'order-1001',
};

/** One a day: sign-ups, and active users. */
export const twoDays = {
  interval: 'day',
  data: [
    {date: '2026-05-01', count: 1},
    {date: '2026-05-02', count: 1},
  ],
  total: 2,
};
