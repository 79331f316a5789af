// Whether a report names people, by what it asks and by what it answers.
//   PN1. Known words: a property or trait whose name says that it tells people apart. Known forms: values such as e-mail addresses,
//        phone numbers and IP addresses.
//   PN2. Few users: a list of values, most of which fewer than five users have, is a list of people whatever its name is.
import {conditionsAskedFor, userRulesOf} from '../../asked-names.js';
import type {ReportQuery} from '../../asks/report.js';
import {fewUsers} from '../../kept/named-person.js';
import {isOfPerson} from '../../kept/person-forms.js';

export interface NamingPeople {
  /** Why the report names people, in words. PN1 */
  readonly people: readonly string[];
  /** Properties and traits that its rows are values of. */
  readonly brokenDownBy: readonly string[];
  /** Those of `brokenDownBy` whose values name people by PN2 alone. */
  readonly few: readonly string[];
}

/** PN1 */
const wordsOfPeople =
  /e-?mail|phone|mobile|whatsapp|contact|passport|iban|(?:^|[ _.-])(?:tel|ssn|ip)(?:$|[ _.-]|addr)|(?:user|anonymous|distinct|customer|account|client|member|person|visitor|device|patient|employee)[ _-]?(?:id|no|number)(?:$|[^a-z])|(?:user|first|last|full|sur|given|family|nick|display|screen|login|customer|account|person)[ _-]?name|(?:street|postal|home|billing|shipping|delivery|ip|remote)[ _-]?addr/i;
const camelIp = /[a-z]Ip$/;

const isWordOfPeople = (name: string, isTrait: boolean): boolean =>
  wordsOfPeople.test(name) || camelIp.test(name) || (isTrait && /^(?:.*\.)?name$/i.test(name));

interface Row {
  readonly value?: unknown;
  /** In place of a value: of each breakdown. */
  readonly by?: readonly {readonly value?: unknown}[];
  readonly total?: unknown;
  readonly total_value?: unknown;
  readonly overall?: readonly {readonly size?: unknown}[];
}

/** `answer`: undefined if the question failed. */
export function namingPeople(question: ReportQuery, answer: unknown): NamingPeople {
  const ofUsers = userRulesOf(question).flatMap(({where}) => where);
  const filters = [
    ...conditionsAskedFor(question).map((condition) => ({...condition, isTrait: false})),
    ...ofUsers.map((condition) => ({...condition, isTrait: true})),
  ]
    .filter(({property, values, isTrait}) => isWordOfPeople(property, isTrait) || values.some(isOfPerson))
    .map(({property}) => `it filters by ${property}, which may name a person`);
  const breakdowns = ('breakdown' in question ? question.breakdown : undefined) ?? [];
  const few: string[] = [];
  const named = breakdowns.flatMap(({by, name}, at) => {
    const values = valuesIn(question, answer, at);
    if (isWordOfPeople(name, by === 'trait') || values.some(({value}) => isOfPerson(value)))
      return [`it lists values of ${name}, which may name people`];
    if (areMostlyOfFew(values)) few.push(name);
    return [];
  });
  return {people: [...filters, ...named], brokenDownBy: breakdowns.map(({name}) => name), few};
}

export const whyFew = (name: string): string =>
  `it lists values of ${name}, most of which fewer than ${fewUsers} users have`;

interface Value {
  readonly value: string;
  /** Users of its row; undefined: the answer has none. Of several rows with it those of most users, which are no more than it has. */
  readonly users: number | undefined;
}

/** Values of a breakdown, of all series. */
function valuesIn(question: ReportQuery, answer: unknown, at: number): Value[] {
  type Broken = {readonly breakdown?: {readonly rows?: readonly Row[]}; readonly series?: readonly Broken[]};
  const {breakdown, series = []} = (answer ?? {}) as Broken;
  return [breakdown, ...series.map((one) => one.breakdown)].flatMap((one) => {
    const values = new Map<string, Value>();
    for (const row of one?.rows ?? []) {
      const {value} = row.by?.[at] ?? row;
      if (typeof value !== 'string') continue;
      const users = usersOf(question, row);
      const known = values.get(value)?.users;
      values.set(value, {value, users: users === undefined ? known : Math.max(users, known ?? 0)});
    }
    return [...values.values()];
  });
}

/** PN2 */
function areMostlyOfFew(values: readonly Value[]): boolean {
  const users = values.map((one) => one.users).filter((count) => count !== undefined);
  return 2 * users.filter((count) => count < fewUsers).length > users.length;
}

/** Distinct users of a row; undefined: the answer has none. Beside what its page measures, a page with rows asks for users as well. */
function usersOf(question: ReportQuery, row: Row): number | undefined {
  switch (question.report) {
    case 'counts':
      return question.measure === 'users' ? numberIn(row.total_value) : undefined;
    case 'active':
    case 'funnel':
      return numberIn(row.total);
    case 'retention':
      return numberIn(row.overall?.[0]?.size);
    default:
      return undefined;
  }
}

const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
