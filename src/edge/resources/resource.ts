// A resource: things of one kind that people keep, such as annotations. A key manages them under /v1, and a person who is signed in
// under the dashboard's own path: both ask the same handlers.
//   RS1. A list has the order of its kind. A cursor has the place of the last item in that order, so a page also follows one whose
//        last item was removed.
//   RS2. A change or removal with If-Match is made to that version alone (if-match.ts IM2). For any other version the answer is 412
//        with what is kept now.
//   RS3. The audit trail has the id of what was changed and of who changed it, and none of its texts.
import {z} from 'zod';
import type {Asker} from '../../asks/asker.js';
import type {Definition} from '../../kept/definition.js';
import type {Definitions, KeptStore} from '../../kept/kept-store.js';
import type {DashboardRole} from '../../keys/dashboard-role.js';
import {BucketFault} from '../../keys/key-bucket.js';
import {errorAnswer} from '../answers/error.js';
import {pageEnd} from '../answers/fields.js';
import type {KeptName} from '../dashboard/answers/record.js';
import {type Failure, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import type {Tag} from '../openapi/operation.js';
import {askerOf} from '../query/asker-of.js';
import {anyText, optional, wholeNumber, withDefault} from '../query/parameters.js';
import {noParameters, type Parameter, readPathId, readQuery} from '../query/query.js';
import {type BodyEndpoint, type Handle, type ReadEndpoint, type Route, variedSegment} from '../route.js';
import {authorNameOf, authorOf} from '../routes/author.js';
import {
  changedSinceRead,
  changeMeant,
  etagOf,
  isHeld,
  meantVersion,
  removeMeant,
  versionOf,
} from '../routes/if-match.js';
import {readFields, readObject, withoutNull} from '../routes/json-fields.js';
import {storedChange} from '../routes/stored-change.js';
import {isAfter, type Place, placeText, readPlace} from './list-place.js';

/** As many as there may be of any kind. */
export const pageItemsMax = 2_000;

/** Who makes a change, and when. */
export interface Author {
  /** Name of the person or of the key. */
  readonly name: string;
  /** Epoch ms. */
  readonly atMs: number;
}

/** What a creation has beside its body. */
export interface Creation extends Author {
  readonly asker: Asker;
  /** One that only its answer shows; '' for kinds that have none. */
  readonly secret: string;
}

type Content<Held extends Definition> = Omit<Held, keyof Definition>;

/** What a resource has of its kind. */
interface OfKind {
  /** In messages: `saved report`. The plural ends in an s. */
  readonly noun: string;
  /** Paths and audit lines begin with it: `saved-report`. */
  readonly name: KeptName;
  /** Most that there may be. */
  readonly countMax: number;
  readonly bodyBytesMax: number;
  /** Roles that a session needs. A key needs to be a secret one. */
  readonly roles: {readonly reads: DashboardRole; readonly changes: DashboardRole};
  /** What a list has beside its items. */
  readonly beside?: {
    readonly shape: z.ZodRawShape;
    readonly read: (front: Front) => Promise<object>;
    readonly example: object;
  };
  readonly description: Description;
}

/** For the OpenAPI document. */
interface Description {
  readonly tag: Tag;
  /** What one is for, and what a creation does. */
  readonly about: string;
  /** What a change does to others than its fields. */
  readonly ofChange?: string;
  /** `answer`: absent where it follows from more than the body. */
  readonly example: {readonly id: string; readonly body: object; readonly change: object; readonly answer?: object};
}

/** What a kind adds to a resource. */
export interface Kind<
  Held extends Definition,
  Form extends z.ZodType,
  Change extends z.ZodType,
  Answer extends z.ZodType,
> extends OfKind {
  readonly definitions: (store: KeptStore) => Definitions<Held>;
  /** Body of a creation, and of a change: fields that it does not name stay as they are. */
  readonly form: Form;
  readonly change: Change;
  /** Reads a body by one of them. Absent: `readFields`. */
  readonly read?: <Body extends z.ZodType>(form: Body, body: object) => z.output<Body>;
  /** With the members `id` and `version`. */
  readonly answer: Answer;
  /** Two sort keys, ascending; the id comes last. Absent: the oldest first. RS1 */
  readonly order?: (held: Held) => readonly [number, number];
  /** What clients edit, in an order that never changes (if-match.ts IM1). */
  readonly edited: (held: Held) => readonly unknown[];
  readonly shown: (held: Held, front: Front) => object | Promise<object>;
  /** @throws RequestFailure for fields that do not fit what else is kept. */
  readonly made: (fields: z.output<Form>, creation: Creation, front: Front) => Content<Held> | Promise<Content<Held>>;
  /** Called before one is stored. What it returns is called after that, before the answer. */
  readonly begins?: (content: Content<Held>, front: Front) => Promise<(id: string) => Promise<void>>;
  /** A secret that only the answer to a creation shows. */
  readonly once?: {
    readonly answer: z.ZodType;
    readonly newSecret: () => string;
    readonly shown: (secret: string, held: Held) => object;
  };
  /** The edit may be called more than once. It may throw a RequestFailure, as this does. */
  readonly edit: (
    change: z.output<Change>,
    author: Author,
    front: Front,
    known: Held,
  ) => ((held: Held) => Held) | Promise<(held: Held) => Held>;
  /** Removes what belongs to one that was removed. Rejections are ignored: what is left does no harm. */
  readonly forget?: (id: string, front: Front) => Promise<unknown>;
  /** Its earlier name in answers to outdated changes. */
  readonly currentName?: 'alert' | 'webhook';
}

type TakeBody = BodyEndpoint['takeBody'];

export interface Resource extends OfKind {
  readonly listForm: {readonly cursor: Parameter<string | undefined>; readonly limit: Parameter<number>};
  /** Items of the whole list. */
  readonly all: (front: Front) => Promise<readonly object[]>;
  readonly list: Handle;
  readonly read: Handle;
  readonly create: TakeBody;
  readonly change: TakeBody;
  readonly remove: Handle;
  readonly schemas: Readonly<Record<'form' | 'change' | 'answer' | 'created' | 'list', z.ZodType>>;
}

/** Answers to removals and to outdated changes of every kind. */
export const removedAnswer = z.strictObject({status: z.literal('deleted'), id: z.string()});
const current = z.record(z.string(), z.unknown());
export const outdatedAnswer = z.strictObject({
  error: errorAnswer.shape.error,
  current: current.describe('As it is now.'),
  alert: current.optional().describe('The same, of an alert.'),
  webhook: current.optional().describe('The same, of a webhook.'),
});

const orderKeys = 2;
const foreignCursor: Failure = {code: 'invalid_cursor', message: 'the cursor is none of this list', field: 'cursor'};

export function resourceOf<
  Held extends Definition,
  Form extends z.ZodType,
  Change extends z.ZodType,
  Answer extends z.ZodType,
>(kind: Kind<Held, Form, Change, Answer>): Resource {
  const {noun, name, definitions, countMax} = kind;
  const readBody = kind.read ?? readFields;
  const {once, order = ({createdMs}: Held): readonly [number, number] => [createdMs, 0]} = kind;
  const unknown: Failure = {code: 'not_found', message: `no such ${noun}`};
  const tooMany = invalidRequest(`there are ${countMax} ${noun}s: delete one first`);
  const silent = unavailable(`the store of ${noun}s does not respond`);
  const outcomeUnknown = unavailable(
    `the store of ${noun}s does not respond: the change may or may not have been made, list the ${noun}s to see`,
  );
  const listForm = {
    cursor: optional(anyText, {description: 'The `next_cursor` of the page before.'}),
    limit: withDefault(wholeNumber(pageItemsMax), pageItemsMax, {description: 'Items on a page. Default: all.'}),
  };

  const placeOf = (held: Held): Place => [...order(held), held.id];
  const versionIn = (held: Held): string => versionOf(kind.edited(held));

  /** @throws RequestFailure (503) */
  const shown = async (held: Held, front: Front) => {
    try {
      return {...(await kind.shown(held, front)), version: versionIn(held)};
    } catch (error) {
      throw error instanceof BucketFault ? new RequestFailure(silent) : error;
    }
  };

  const sorted = (front: Front) =>
    definitions(front.kept.store)
      .list()
      .map((held) => ({held, place: placeOf(held)}))
      .sort((a, b) => (isAfter(a.place, b.place) ? 1 : -1));

  const shownOf = (front: Front, page: readonly {readonly held: Held}[]) =>
    Promise.all(page.map(({held}) => shown(held, front)));

  /** @throws RequestFailure */
  const known = (front: Front, exchange: Exchange, segment: string): Held => {
    readQuery(exchange.query, noParameters);
    const held = definitions(front.kept.store).get(readPathId(segment));
    if (held === undefined) throw new RequestFailure(unknown);
    return held;
  };

  /** Whether the client means this version; undefined: any. @throws RequestFailure RS2 */
  const meaning = (exchange: Exchange): ((held: Held) => boolean) | undefined => {
    const isMeant = meantVersion(exchange);
    return isMeant && ((held) => isMeant(versionIn(held)));
  };

  const answer = async (front: Front, exchange: Exchange, status: string, held: Held, more = {}): Promise<void> => {
    const body = await shown(held, front);
    exchange.json(status, JSON.stringify({...body, ...more}), [etagOf(body.version)]);
  };

  const failOutdated = async (front: Front, exchange: Exchange, held: Held): Promise<void> => {
    const now = await shown(held, front);
    const more = {current: now, ...(kind.currentName && {[kind.currentName]: now})};
    exchange.failWith(changedSinceRead(noun), more, [etagOf(now.version)]);
  };

  const authorIn = (front: Front, exchange: Exchange): Author => ({
    name: authorNameOf(front, exchange),
    atMs: front.wallMs(),
  });

  return {
    ...{noun, name, countMax, bodyBytesMax: kind.bodyBytesMax, roles: kind.roles, listForm},
    ...(kind.beside && {beside: kind.beside}),
    description: kind.description,
    schemas: {
      form: kind.form,
      change: kind.change,
      answer: kind.answer,
      created: once?.answer ?? kind.answer,
      list: z.strictObject({data: z.array(kind.answer), ...pageEnd, ...kind.beside?.shape}),
    },

    all: (front) => shownOf(front, sorted(front)),

    async list(front, exchange) {
      const {cursor, limit} = readQuery(exchange.query, listForm);
      const after = cursor === undefined ? undefined : readPlace(cursor, orderKeys);
      if (cursor !== undefined && after === undefined) throw new RequestFailure(foreignCursor);
      const all = sorted(front);
      const left = after === undefined ? all : all.filter(({place}) => isAfter(place, after));
      const page = left.slice(0, limit);
      const isLast = page.length === left.length;
      const body = JSON.stringify({
        data: await shownOf(front, page),
        has_more: !isLast,
        next_cursor: isLast ? null : placeText(page.at(-1)!.place),
        ...(await kind.beside?.read(front)),
      });
      const etag = etagOf(versionOf([body]));
      if (isHeld(exchange, etag)) exchange.answer('304 Not Modified', undefined, '', [etag]);
      else exchange.json('200 OK', body, [etag]);
    },

    async read(front, exchange, segment) {
      await answer(front, exchange, '200 OK', known(front, exchange, segment));
    },

    async create(front, exchange, bytes) {
      const body = readObject(bytes);
      readQuery(exchange.query, noParameters);
      const fields = readBody(kind.form, withoutNull(kind.form, body));
      const kept = definitions(front.kept.store);
      if (kept.list().length >= countMax) throw new RequestFailure(tooMany);
      const by = authorOf(front, exchange);
      const author = authorIn(front, exchange);
      const secret = once?.newSecret() ?? '';
      const content = await kind.made(fields, {...author, asker: askerOf(exchange), secret}, front);
      const begin = await kind.begins?.(content, front);
      const made = await storedChange(front, outcomeUnknown, async () => {
        const held = await kept.create(content, author.atMs);
        await begin?.(held.id);
        return held;
      });
      front.kept.audit.defined(`${name}.created`, by, made.id);
      await answer(front, exchange, '201 Created', made, once?.shown(secret, made));
    },

    async change(front, exchange, bytes) {
      const change = readBody(kind.change, readObject(bytes));
      const before = known(front, exchange, variedSegment(exchange));
      const {id} = before;
      const isMeant = meaning(exchange);
      const by = authorOf(front, exchange);
      const edit = await kind.edit(change, authorIn(front, exchange), front, before);
      const changed = await storedChange(front, outcomeUnknown, () =>
        changeMeant(definitions(front.kept.store), id, isMeant, edit),
      );
      if (changed === undefined) throw new RequestFailure(unknown);
      if (changed.isOutdated) return failOutdated(front, exchange, changed.definition);
      front.kept.audit.defined(`${name}.changed`, by, id);
      await answer(front, exchange, '200 OK', changed.definition);
    },

    async remove(front, exchange, segment) {
      const {id} = known(front, exchange, segment);
      const isMeant = meaning(exchange);
      const by = authorOf(front, exchange);
      const removed = await storedChange(front, outcomeUnknown, () =>
        removeMeant(definitions(front.kept.store), id, isMeant),
      );
      if (removed === undefined) throw new RequestFailure(unknown);
      if (removed.isOutdated) return failOutdated(front, exchange, removed.definition);
      front.kept.audit.defined(`${name}.deleted`, by, id);
      await Promise.allSettled([kind.forget?.(id, front)]);
      exchange.json('200 OK', JSON.stringify({status: 'deleted', id}));
    },
  };
}

/** Endpoints for who may read, and for who may change. */
interface Doors {
  readonly reads: (handle: Handle) => ReadEndpoint;
  readonly removes: (handle: Handle) => ReadEndpoint;
  readonly writes: (takeBody: TakeBody, bodyBytesMax: number) => BodyEndpoint;
}

/** Routes of a resource below `base`. The path that ends in a slash is followed by an id. */
export const routesOf = (one: Resource, base: string, {reads, removes, writes}: Doors): readonly [string, Route][] => [
  [`${base}${one.name}s`, {GET: reads(one.list), POST: writes(one.create, one.bodyBytesMax)}],
  [
    `${base}${one.name}s/`,
    {GET: reads(one.read), PATCH: writes(one.change, one.bodyBytesMax), DELETE: removes(one.remove)},
  ],
];
