// Questions that people ask of a shop, and the requests that answer them: recipes of /docs. A test asks every one of them of a
// service with the life of a shop in it, and compares the answers with what the shop knows of itself.

export interface AskedQuestion {
  /** The question in a reader's words. */
  readonly about: string;
  readonly question: string;
  /** Paths with queries as a reader would write them, escaped where a shell or a URL needs it. */
  readonly requests: readonly string[];
  /** Text that tells where the answer has it. */
  readonly answer: string;
}

const range = 'from=2026-05-04&to=2026-05-23';
const steps = (...names: readonly string[]): string => names.map((name) => `steps%5B%5D=${name}`).join('&');

const howMany = 'How many';
const conversion = 'Who converts';
const returning = 'Who returns';
const people = 'Who is it';
const taken = 'What is there, and taking it out';

export const questions: readonly AskedQuestion[] = [
  {
    about: howMany,
    question: 'What do we earn a day?',
    requests: [`/v1/reports/events?event=order_placed&measure=sum&property=value&${range}`],
    answer: '`value` of each day, and `total_value`: exact sums.',
  },
  {
    about: howMany,
    question: 'How many different buyers are there a day?',
    requests: [`/v1/reports/events?event=order_placed&measure=users&${range}`],
    answer: '`value` of each day; `total_value` counts everybody once.',
  },
  {
    about: howMany,
    question: 'Which pages are seen most?',
    requests: [`/v1/reports/events?event=page&breakdown=path&breakdown_limit=5&interval=month&${range}`],
    answer:
      'A row for each of the five paths, the most frequent first; the others share the row whose `kind` is `other`.',
  },
  {
    about: howMany,
    question: 'How many large orders, not paid by invoice, are there a week?',
    requests: [
      `/v1/reports/events?event=order_placed&where=value+gte+5000&where=payment+ne+invoice&interval=week&${range}`,
    ],
    answer: '`count` of each week: all conditions hold.',
  },
  {
    about: howMany,
    question: 'What share of orders is refunded, week by week?',
    requests: [`/v1/reports/events?events%5B%5D=order_placed&events%5B%5D=refund_issued&interval=week&${range}`],
    answer: 'Two series in one answer: divide the second by the first.',
  },
  {
    about: howMany,
    question: 'How many orders does a day of Berlin have?',
    requests: [`/v1/reports/events?event=order_placed&timezone=Europe/Berlin&${range}`],
    answer: 'Days begin at midnight in Berlin, summer time included; `from` and `to` are days there.',
  },
  {
    about: conversion,
    question: 'How many visitors sign up, and how many of them order?',
    requests: [`/v1/reports/funnel?${steps('page', 'signup', 'order_placed')}&${range}`],
    answer: '`count` of each step. What somebody did before the sign-up is theirs.',
  },
  {
    about: conversion,
    question: 'How many of those who signed up in a week ordered within two weeks?',
    requests: [`/v1/reports/funnel?${steps('signup', 'order_placed')}&range=entry&window=14d&interval=week&${range}`],
    answer:
      '`data` has a row for each week of sign-ups. `undecided`, beside it, counts those whose two weeks are not over.',
  },
  {
    about: conversion,
    question: 'Which campaign brings buyers?',
    requests: [`/v1/reports/funnel?${steps('page', 'order_placed')}&breakdown=campaign&${range}`],
    answer: 'A funnel for each campaign of the first step. Visits without one are the row whose `kind` is `missing`.',
  },
  {
    about: conversion,
    question: 'Does one variant convert better than another?',
    requests: [`/v1/reports/funnel?${steps('product_viewed', 'order_placed')}&breakdown=device&${range}`],
    answer: 'A funnel for each value: here devices, in an experiment the property that names the variant.',
  },
  {
    about: conversion,
    question: 'How long does it take from the first product to the order?',
    requests: [
      `/v1/reports/funnel?${steps('product_viewed', 'order_placed')}&histogram=true&percentiles=true&${range}`,
    ],
    answer: '`median_seconds`, `mean_seconds`, `p90_seconds` and a `histogram` of the second step.',
  },
  {
    about: conversion,
    question: 'How many carts are left behind for a day, and how many products that were looked at come into one?',
    requests: [
      `/v1/reports/funnel?${steps('cart_added', 'order_placed')}&range=entry&window=24h&${range}`,
      `/v1/reports/funnel?${steps('product_viewed', 'cart_added')}&hold=product&${range}`,
    ],
    answer: '`drop_off` of the second step. With `hold` each person counts once for each product that they looked at.',
  },
  {
    about: conversion,
    question: 'Who started a checkout and did not order?',
    requests: [
      `/v1/reports/funnel/users?${steps('checkout_started', 'order_placed')}&step=2&outcome=dropped&limit=1000&${range}`,
    ],
    answer: 'The ids, page by page.',
  },
  {
    about: returning,
    question: 'How many of those who signed up come back, week by week?',
    requests: [`/v1/reports/retention?start=signup&any_return=true&cohort=first&interval=week&periods=3&${range}`],
    answer: '`cohorts`: a row for each week of sign-ups, a cell for each week after; cells that may still grow say so.',
  },
  {
    about: returning,
    question: 'How many people are active a day, a week, a month, and on how many days?',
    requests: [
      `/v1/reports/users?metric=dau&${range}`,
      `/v1/reports/users?metric=wau&${range}`,
      `/v1/reports/users?metric=mau&${range}`,
      `/v1/reports/stickiness?any_event=true&${range}`,
    ],
    answer: 'People, not devices. `data` of the last one: how many were active on exactly so many days.',
  },
  {
    about: returning,
    question: 'How many paying people are active a week?',
    requests: [`/v1/reports/users?metric=wau&interval=week&user_where=plan+in+plus,pro&${range}`],
    answer: 'Those whose `plan` is `plus` or `pro` now.',
  },
  {
    about: people,
    question: 'What did somebody do, before and after the sign-up?',
    requests: ['/v1/events?userId=ada&limit=1000'],
    answer: 'The newest event first; those from before the sign-up say `"joined":true`.',
  },
  {
    about: people,
    question: 'What do we have about somebody?',
    requests: ['/v1/user/export?userId=ada'],
    answer: 'The profile and every event, a line each; the last line says how many there were.',
  },
  {
    about: taken,
    question: 'Which events, properties and values are there?',
    requests: [
      `/v1/names?${range}`,
      `/v1/properties?event=order_placed&${range}`,
      `/v1/properties/values?event=order_placed&property=payment&${range}`,
    ],
    answer: 'Names with counts, properties with their share and types, values with counts.',
  },
  {
    about: taken,
    question: 'How do we bring everything into our warehouse?',
    requests: [`/v1/export?${range}`],
    answer: 'Every event, a line each, gzipped where the client takes it; the last line says how many there were.',
  },
];
