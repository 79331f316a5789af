// The arguments of `npm run demo --`.
import {parseArgs} from 'node:util';

export const usage = `npm run demo

Starts a service with the life of a web shop in it: 30 days that are over, then what happens now. It keeps everything in a
folder of its own, which goes when it ends (Ctrl-C).

  npm run demo -- --people 20000     visitors within those days
  npm run demo -- --days 30          days that are over
  npm run demo -- --rate 10          a sale from now on: so many more events a second, on average over a day
                                     (without it the shop goes on as before, with an event every few seconds)
  npm run demo -- --seed 1           another shop
  npm run demo -- --cluster          many processes: three nats-servers, three processes that fold, two for reports and two edges.
                                     When the shop is live, each is killed in turn and started again, and how long requests
                                     took is printed. The sale has 20 events a second unless --rate says otherwise

From the environment: PORT (unset: any free port), HOST, REPORT_REFRESH_SECONDS (5), LOG_LEVEL (warn), and whatever else
npm start takes but where it keeps its data.
`;

export interface DemoArguments {
  readonly people: number;
  readonly days: number;
  readonly rate: number;
  readonly seed: number;
  readonly isCluster: boolean;
}

const peopleMax = 1_000_000;
const daysMax = 365;
const rateMax = 1_000;
/** So many that every process meets some while another one is away. */
const rateOfCluster = 20;
const seedMax = 0xffffffff;

/** Null: the user asked for the usage. @throws Error with a sentence for the operator. */
export function readDemoArguments(words: readonly string[]): DemoArguments | null {
  const text = (standard: number) => ({type: 'string', default: String(standard)}) as const;
  const {values} = parseArgs({
    args: [...words],
    options: {
      people: text(20_000),
      days: text(30),
      rate: {type: 'string'},
      seed: text(1),
      cluster: {type: 'boolean', default: false},
      help: {type: 'boolean', short: 'h', default: false},
    },
  });
  if (values.help) return null;
  return {
    people: wholeNumber('people', values.people, 1, peopleMax),
    days: wholeNumber('days', values.days, 1, daysMax),
    rate: wholeNumber('rate', values.rate ?? `${values.cluster ? rateOfCluster : 0}`, 0, rateMax),
    seed: wholeNumber('seed', values.seed, 0, seedMax),
    isCluster: values.cluster,
  };
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
}
