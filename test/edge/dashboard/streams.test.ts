import {expect, test} from 'vitest';
import {
  type Frame,
  type StreamOptions,
  Streams,
  streamsMax,
  streamsOfSessionMax,
  type Topic,
  unreadMsMax,
} from '../../../src/edge/dashboard/stream.js';
import type {StreamAnswer} from '../../../src/edge/http/stream-answer.js';

/** A client that takes frames, or stops taking them. */
class FakeAnswer {
  readonly texts: string[] = [];
  isBlocked = false;
  takes = true;
  isCut = false;
  private over = (): void => {};
  private free = (): void => {};

  listen({free, over}: {free: () => void; over: () => void}): void {
    this.free = free;
    this.over = over;
  }

  write(text: string): void {
    if (this.isBlocked) throw new Error('written while blocked');
    this.texts.push(text);
    this.isBlocked = !this.takes;
  }

  end(text: string): void {
    this.texts.push(text);
    this.over();
  }

  cut(): void {
    this.isCut = true;
    this.over();
  }

  takeAll(): void {
    this.takes = true;
    this.isBlocked = false;
    this.free();
  }
}

const session = {role: 'admin', by: 'admin', name: 'admin', seesTraits: true, id: 's', sinceMs: 0, untilMs: 1} as const;

function open(streams: Streams, topics: readonly Topic[], own: Partial<StreamOptions> = {}): FakeAnswer | undefined {
  const answer = new FakeAnswer();
  const stream = streams.take({
    topics,
    sessionId: 's',
    session: () => session,
    arrivals: undefined,
    schema: '["batch"]',
    whenOver: () => {},
    ...own,
  });
  stream?.begin(answer as unknown as StreamAnswer, 0);
  return stream && answer;
}

const frame = (own: Partial<Frame> = {}): Frame => ({
  vitals: '1',
  published: '"a"',
  refusals: undefined,
  keys: 1,
  ...own,
});

test('a stream begins with its schema, and has its topics alone; a publication is told once', () => {
  const streams = new Streams();
  const [all, few] = [open(streams, ['vitals', 'published', 'keys'])!, open(streams, ['published'])!];
  streams.send(frame(), 1_000);
  streams.send(frame({vitals: '2', keys: 2}), 2_000);
  expect(all.texts).toEqual([
    'retry: 2000\nevent: schema\ndata: ["batch"]\n\n',
    'event: vitals\ndata: 1\n\nevent: published\ndata: "a"\n\n',
    'event: vitals\ndata: 2\n\nevent: keys\ndata: 2\n\n',
  ]);
  expect(few.texts.slice(1)).toEqual(['event: published\ndata: "a"\n\n']);
});

test('a stream with nothing to say shows that it lives', () => {
  const streams = new Streams();
  const quiet = open(streams, ['published'])!;
  for (let second = 1; second <= 10; second++) streams.send(frame(), second * 1_000);
  expect(quiet.texts.slice(2)).toEqual([':\n\n', ':\n\n']);
});

test('a client that does not read gets nothing more until it does, then the newest and how much it missed', () => {
  const streams = new Streams();
  const slow = open(streams, ['vitals', 'published'])!;
  slow.takes = false;
  streams.send(frame({vitals: '1'}), 1_000);
  for (let second = 2; second < 10; second++)
    streams.send(frame({vitals: String(second), published: '"b"'}), second * 1_000);
  expect(slow.texts).toHaveLength(2);
  slow.takeAll();
  expect(slow.texts).toHaveLength(2);
  streams.send(frame({vitals: '10', published: '"b"'}), 10_000);
  expect(slow.texts[2]).toBe('event: dropped\ndata: 8\n\nevent: vitals\ndata: 10\n\nevent: published\ndata: "b"\n\n');
});

test('a client that takes nothing for 30 s is cut off, and its place is free', () => {
  const streams = new Streams();
  const dead = open(streams, ['vitals'])!;
  dead.takes = false;
  for (let ms = 1_000; ms <= unreadMsMax + 1_000; ms += 1_000) streams.send(frame(), ms);
  expect([dead.isCut, streams.size]).toEqual([false, 1]);
  streams.send(frame(), unreadMsMax + 2_000);
  expect([dead.isCut, streams.size]).toEqual([true, 0]);
});

test('a session has eight streams, the process 64', () => {
  const streams = new Streams();
  for (let at = 0; at < streamsOfSessionMax; at++) expect(open(streams, ['vitals'])).toBeDefined();
  expect(open(streams, ['vitals'])).toBeUndefined();
  for (let at = streamsOfSessionMax; at < streamsMax; at++) {
    expect(open(streams, ['vitals'], {sessionId: String(at)})).toBeDefined();
  }
  expect(open(streams, ['vitals'], {sessionId: 'one more'})).toBeUndefined();
});

test('a client that left before its stream began leaves its place', () => {
  const streams = new Streams();
  let isOver = false;
  const stream = streams.take({
    topics: ['vitals'],
    sessionId: 's',
    session: () => session,
    arrivals: undefined,
    schema: '[]',
    whenOver: () => {
      isOver = true;
    },
  })!;
  streams.send(frame(), 1_000);
  stream.begin(undefined, 1_000);
  expect([streams.size, isOver]).toEqual([0, true]);
});

test('a stream ends with its session, and with the role that one of its topics needs', () => {
  const streams = new Streams();
  let role: 'analyst' | 'reader' | undefined = 'analyst';
  const looked = open(streams, ['vitals', 'arrivals'], {session: () => role && {...session, role}})!;
  streams.send(frame(), 1_000);
  role = 'reader';
  streams.send(frame(), 2_000);
  expect(looked.texts.at(-1)).toBe('event: bye\ndata: {"why":"signed_out"}\n\n');
  expect(streams.size).toBe(0);
  role = undefined;
  const gone = open(streams, ['vitals'], {session: () => role && {...session, role}})!;
  streams.send(frame(), 3_000);
  expect(gone.texts.at(-1)).toContain('signed_out');
});

test('a stop ends every stream, one that is about to begin too, and takes no other', () => {
  const streams = new Streams();
  const ended = open(streams, ['vitals'])!;
  const late = new FakeAnswer();
  const stream = streams.take({
    topics: ['vitals'],
    sessionId: 'late',
    session: () => session,
    arrivals: undefined,
    schema: '[]',
    whenOver: () => {},
  })!;
  streams.stop();
  stream.begin(late as unknown as StreamAnswer, 0);
  for (const {texts} of [ended, late]) expect(texts.at(-1)).toBe('event: bye\ndata: {"why":"draining"}\n\n');
  expect([streams.size, open(streams, ['vitals'])]).toEqual([0, undefined]);
});
