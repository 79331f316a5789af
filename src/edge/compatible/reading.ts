// Translates the calls of a body, on the edge thread and in the worker for large bodies alike.
import {eventBytesMax} from '../../../actors/limits.js';
import type {BatchRead, BatchReading} from '../../ingest/batch.js';
import {compactBytesMin} from '../../ingest/compact-size.js';
import {inexactNumber} from '../../ingest/inexact-numbers.js';
import {jsonFault} from '../../ingest/json-fault.js';
import {isJson} from '../../ingest/json-syntax.js';
import {parseJson} from '../../ingest/json-text.js';
import {MixedEntries, type NativeCall} from '../../ingest/mixed-entries.js';
import {refusals} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import {visitorId} from '../../keys/visitor-id.js';
import {callsOf, fieldNames, partsOfBody} from './calls.js';
import type {CallForm, Nameless, Translator} from './translator.js';
import {translators} from './translators.js';

/** `no_salt`: some calls name nobody, and no id could be made. */
export type CallsReading = ((Exclude<BatchReading, BatchRead> | {readonly kind: 'no_salt'}) & OfLibrary) | CallsRead;

/** Whose body it is. */
interface OfLibrary {
  readonly form: CallForm;
  /** The key in the body, as it was sent; undefined: it has none. */
  readonly key?: string | undefined;
}

export interface CallsRead extends BatchRead, OfLibrary {
  /** Calls of which something was left out, by kind. */
  readonly ignoredCalls: Readonly<Record<string, number>>;
  /** Calls of the body. */
  readonly callCount: number;
  readonly bodyBytes: number;
  /** Parameters of a form beside its calls, form-encoded. */
  readonly parameters: string;
}

/** `forms`: of the vendors that share the path. The last one is that of a body without the marks of another. */
export function readCalls(
  bytes: Buffer,
  forms: readonly CallForm[],
  receivedMs: number,
  partitionCount: number,
  nameless?: Nameless,
): CallsReading {
  const {json, parameters} = partsOfBody(bytes);
  const form = formOf(json, forms);
  const translator = translators.get(form.vendor)!;
  const body = callsOf(json, form.kind === undefined ? translator.listName : undefined);
  if (body.kind === 'not_json') return notJson(json, form);
  if (body.kind !== 'body') return {...body, form};
  const reader = new CallReader(translator, {...form, fields: body.fields}, receivedMs, nameless);
  const calls = body.events!;
  for (const [index, text] of calls.entries()) {
    const outcome = reader.take(text, index);
    if (outcome === 'not_json') return notJson(json, form);
    if (outcome !== 'taken') return {kind: outcome, form, key: reader.key};
  }
  const ofBody = {callCount: calls.length, bodyBytes: bytes.length, parameters, form, key: reader.key};
  return {...reader.read(partitionCount), ...ofBody};
}

function formOf(json: Buffer, forms: readonly CallForm[]): CallForm {
  const last = forms.at(-1)!;
  if (forms.length === 1) return last;
  const names = fieldNames(json);
  return forms.find(({vendor}) => translators.get(vendor)!.marks?.every((name) => names.has(name))) ?? last;
}

const notJson = (json: Buffer, form: CallForm): CallsReading => ({kind: 'not_json', message: jsonFault(json), form});

/** Vendors store properties and traits in fields of any name: a number that a double would change refuses its call wherever it is. */
const anyField = (): boolean => true;

class CallReader {
  key: string | undefined;
  private readonly entries = new MixedEntries();
  private readonly ignoredCalls: Record<string, number> = {};

  constructor(
    private readonly translator: Translator,
    private readonly request: Parameters<Translator['translate']>[1],
    private readonly receivedMs: number,
    private readonly nameless: Nameless | undefined,
  ) {
    const {fields} = request;
    for (const name of fields.keys()) if (!translator.bodyFields.has(name)) this.entries.notes.takeIgnored(name);
    this.noteKey((name) => fields.get(name));
  }

  take(text: Buffer, index: number): 'taken' | 'not_json' | 'too_many' | 'no_salt' {
    const {entries} = this;
    if (text.length > eventBytesMax && compactBytesMin(text) > eventBytesMax) {
      if (!isJson(text)) return 'not_json';
      this.noteKeyOf(text);
      entries.refuse(index, refusals.size);
      return 'taken';
    }
    const call = parseJson(text);
    if (call === undefined) return 'not_json';
    if (!isJsonObject(call)) {
      entries.refuse(index, refusals.object);
      return 'taken';
    }
    this.noteKey((name) => call[name]);
    const translation = this.translator.translate(call, this.request);
    if ('code' in translation) {
      entries.refuse(index, translation, call);
      return 'taken';
    }
    const {kind, native, ignored} = translation;
    if (ignored.length > 0) this.noteIgnored(kind, ignored);
    const origin = {receivedMs: this.receivedMs, inexact: inexactNumber(text, anyField)};
    for (const one of native) {
      const named = this.named(one);
      if (named === undefined) return 'no_salt';
      if (!entries.add(named, index, origin)) return 'too_many';
    }
    return 'taken';
  }

  /** An event that names nobody is of the visitor; undefined: there is no salt to name it. */
  private named(one: NativeCall): NativeCall | undefined {
    const {nameless, translator} = this;
    const {kind, value} = one;
    if (nameless === undefined || !translator.hasVisitors || kind !== 'event') return one;
    if (value.userId !== undefined || value.anonymousId !== undefined) return one;
    const key = nameless.key ?? this.key;
    if (key === undefined) return one; // The request is refused, unless a later call has a key: then this call is.
    if (nameless.visitor === undefined) return undefined;
    return {kind, value: {...value, anonymousId: visitorId(nameless.visitor, key)}};
  }

  read(partitionCount: number): Omit<CallsRead, 'callCount' | 'bodyBytes' | 'parameters' | 'form'> {
    const {entries, ignoredCalls} = this;
    return {...entries.read(partitionCount), ignoredCalls};
  }

  /** A call that is too long for an event may be the only one that has the key. */
  private noteKeyOf(text: Buffer): void {
    const call = this.key === undefined ? parseJson(text) : undefined;
    if (isJsonObject(call)) this.noteKey((name) => call[name]);
  }

  private noteKey(field: (name: string) => unknown): void {
    if (this.key !== undefined) return;
    const key = this.translator.keyOf(field);
    if (typeof key === 'string' && key !== '') this.key = key;
  }

  private noteIgnored(kind: string, ignored: readonly string[]): void {
    this.ignoredCalls[kind] = (this.ignoredCalls[kind] ?? 0) + 1;
    for (const name of ignored) this.entries.notes.takeIgnored(name);
  }
}
