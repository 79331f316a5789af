// Translates the calls of a body, on the edge thread and in the worker for large bodies alike.
import {eventBytesMax} from '../../../actors/limits.js';
import type {BatchRead, BatchReading} from '../../ingest/batch.js';
import {compactBytesMin} from '../../ingest/compact-size.js';
import {inexactNumber} from '../../ingest/inexact-numbers.js';
import {jsonFault} from '../../ingest/json-fault.js';
import {isJson} from '../../ingest/json-syntax.js';
import {parseJson} from '../../ingest/json-text.js';
import {MixedEntries} from '../../ingest/mixed-entries.js';
import {refusals} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import {callsOf, jsonOfBody} from './calls.js';
import type {CallForm, Translator} from './translator.js';
import {translators} from './translators.js';

/** `key`: the one in the body, as it was sent; undefined: it has none. */
export type CallsReading = (Exclude<BatchReading, BatchRead> | CallsRead) & {readonly key?: string | undefined};

export interface CallsRead extends BatchRead {
  /** Calls of which something was left out, by kind. */
  readonly ignoredCalls: Readonly<Record<string, number>>;
}

export function readCalls(bytes: Buffer, form: CallForm, receivedMs: number, partitionCount: number): CallsReading {
  const translator = translators.get(form.vendor)!;
  const json = jsonOfBody(bytes);
  const body = callsOf(json, form.kind === undefined ? translator.listName : undefined);
  if (body.kind === 'not_json') return notJson(json);
  if (body.kind !== 'body') return body;
  const reader = new CallReader(translator, {...form, fields: body.fields}, receivedMs);
  for (const [index, text] of body.events!.entries()) {
    const outcome = reader.take(text, index);
    if (outcome === 'not_json') return notJson(json);
    if (outcome === 'too_many') return {kind: 'too_many', key: reader.key};
  }
  return reader.read(partitionCount);
}

const notJson = (json: Buffer): CallsReading => ({kind: 'not_json', message: jsonFault(json)});

class CallReader {
  key: string | undefined;
  private readonly entries = new MixedEntries();
  private readonly ignoredCalls: Record<string, number> = {};

  constructor(
    private readonly translator: Translator,
    private readonly request: Parameters<Translator['translate']>[1],
    private readonly receivedMs: number,
  ) {
    const {fields} = request;
    for (const name of fields.keys()) if (!translator.bodyFields.has(name)) this.entries.notes.takeIgnored(name);
    this.noteKey((name) => fields.get(name));
  }

  take(text: Buffer, index: number): 'taken' | 'not_json' | 'too_many' {
    const {entries} = this;
    if (text.length > eventBytesMax && compactBytesMin(text) > eventBytesMax) {
      if (!isJson(text)) return 'not_json';
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
    const origin = {receivedMs: this.receivedMs, inexact: inexactNumber(text)};
    for (const one of native) if (!entries.add(one, index, origin)) return 'too_many';
    return 'taken';
  }

  read(partitionCount: number): CallsReading {
    const {entries, ignoredCalls, key} = this;
    return {...entries.read(partitionCount), ignoredCalls, key};
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
