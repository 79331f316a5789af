// Which bodies begin and which wait, with a clock and a log that the test moves.
import {expect, test} from 'vitest';
import {
  type BodyArrival,
  Intake,
  intakeBytesMax,
  waitingBodyBytesMin,
  waitingBytesMax,
  waitingMsMax,
} from '../../src/edge/admission/intake.js';
import {TurnShare, turnShareMs} from '../../src/edge/admission/turn-share.js';
import {type Failure, unavailable} from '../../src/edge/failure.js';

const bodyBytes = 256 * 1024;
const bodiesAtOnce = intakeBytesMax / bodyBytes;
const bodiesWaiting = waitingBytesMax / bodyBytes;

/** The world around an intake. `told` says what each body was told, in order. */
class World {
  nowMs = 1_000;
  backlogBytes = 0;
  obstacle: Failure | undefined;
  takesOn = true;
  takenOnBytes = 0;
  readonly told: string[] = [];
  readonly bodies: BodyArrival[] = [];
  private readonly looks: (() => void)[] = [];
  private readonly turnEnds: (() => void)[] = [];
  readonly intake = new Intake({
    backlogBytes: () => this.backlogBytes,
    takeOn: (bytes) => {
      if (this.takesOn) this.takenOnBytes += bytes;
      return this.takesOn;
    },
    obstacle: () => this.obstacle,
    monotonicMs: () => this.nowMs,
    soon: (look) => this.looks.push(look),
    turn: new TurnShare({monotonicMs: () => this.nowMs, atTurnEnd: (call) => this.turnEnds.push(call)}),
  });

  /** @returns what becomes of it at once. */
  arrive(declaredBytes = bodyBytes, firstBytes = declaredBytes / 2, isWhole = false): string {
    const name = `#${this.bodies.length}`;
    const body: BodyArrival = {
      declaredBytes,
      begin: () => this.told.push(`${name} begins`),
      refuse: (why) => this.told.push(`${name} is refused${why === undefined ? '' : `: ${why.message}`}`),
      use: () => this.told.push(`${name} is used`),
    };
    this.bodies.push(body);
    return this.intake.arrive(body, firstBytes, isWhole);
  }

  arriveMany(count: number): string[] {
    return Array.from({length: count}, () => this.arrive());
  }

  /** In a turn of its own. */
  look(): void {
    this.endTurn();
    for (const look of this.looks.splice(0)) look();
  }

  endTurn(): void {
    for (const call of this.turnEnds.splice(0)) call();
  }

  /** A body that is here whole. @returns whether it is used, which takes its time. */
  parse(parseMs: number): boolean {
    expect(this.arrive(bodyBytes, bodyBytes, true)).toBe('begins');
    const body = this.bodies.at(-1)!;
    const parse = (): void => void (this.nowMs += parseMs);
    const {use} = body;
    body.use = () => {
      use();
      parse();
    };
    const isUsed = this.intake.isUsedAtOnce(bodyBytes) || this.intake.complete(body, bodyBytes);
    if (isUsed) parse();
    return isUsed;
  }

  get looksAreDue(): number {
    return this.looks.length;
  }
}

test('as many begin as the log can soon have; the others wait and begin in their order', () => {
  const world = new World();
  expect(new Set(world.arriveMany(bodiesAtOnce))).toEqual(new Set(['begins']));
  expect(world.arriveMany(3)).toEqual(['waits', 'waits', 'waits']);
  expect(world.intake.waitingBytes).toBe(3 * bodyBytes);
  world.look();
  expect(world.told).toEqual([]);
  world.intake.leave(world.bodies[5]!); // Whole, and its entries wait for the log.
  world.backlogBytes = bodyBytes;
  world.look();
  expect(world.told).toEqual([]);
  world.backlogBytes = 0;
  world.look();
  expect(world.told).toEqual([`#${bodiesAtOnce} begins`]);
  world.intake.leave(world.bodies[0]!);
  world.intake.leave(world.bodies[1]!);
  world.look();
  expect(world.told.slice(1)).toEqual([`#${bodiesAtOnce + 1} begins`, `#${bodiesAtOnce + 2} begins`]);
  expect(world.intake.waitingBytes).toBe(0);
  expect(world.looksAreDue).toBe(0);
});

test('nobody overtakes those that wait, but small ones, which never wait', () => {
  const world = new World();
  world.backlogBytes = intakeBytesMax;
  expect(world.arrive()).toBe('waits');
  world.backlogBytes = 0;
  expect(world.arrive()).toBe('waits');
  expect(world.arrive(waitingBodyBytesMin - 1)).toBe('begins');
  world.look();
  expect(world.told).toEqual(['#0 begins', '#1 begins']);
});

test('clients that send slowly keep nobody out, and bytes that were only announced count for little', () => {
  const world = new World();
  world.arriveMany(bodiesAtOnce);
  expect(world.arrive()).toBe('waits');
  world.nowMs += 60;
  world.look();
  expect(world.told).toEqual([`#${bodiesAtOnce} begins`]);
  world.nowMs += 60;
  const drips = Array.from({length: 1_000}, () => world.arrive(10 * 1024 * 1024, 100));
  expect(new Set(drips)).toEqual(new Set(['begins']));
});

test('of what was begun more may become whole than the log can have: it waits, and goes before what has not begun', () => {
  const world = new World();
  world.arriveMany(bodiesAtOnce);
  world.backlogBytes = intakeBytesMax;
  expect(world.arrive()).toBe('waits');
  expect(world.intake.complete(world.bodies[0]!, bodyBytes)).toBe(true);
  world.backlogBytes = 2 * intakeBytesMax;
  expect(world.intake.complete(world.bodies[1]!, bodyBytes)).toBe(false);
  expect(world.intake.complete(world.bodies[2]!, 100)).toBe(true);
  world.look();
  expect(world.told).toEqual([]);
  world.backlogBytes = intakeBytesMax;
  expect(world.intake.complete(world.bodies[3]!, bodyBytes)).toBe(false); // Not before #1.
  world.look();
  expect(world.told).toEqual(['#1 is used', '#3 is used']);
  world.backlogBytes = 0;
  world.nowMs += 60;
  world.look();
  expect(world.told.slice(2)).toEqual([`#${bodiesAtOnce} begins`]);
});

test('what is whole does not wait for ever: it is used, and the log decides', () => {
  const world = new World();
  world.arrive();
  world.arrive();
  world.backlogBytes = 2 * intakeBytesMax;
  for (const body of world.bodies) expect(world.intake.complete(body, bodyBytes)).toBe(false);
  world.intake.leave(world.bodies[0]!); // Its client is gone.
  world.nowMs += waitingMsMax;
  world.look();
  expect(world.told).toEqual(['#1 is used']);
  expect(world.looksAreDue).toBe(0);
});

test('bodies that are here whole count as what the log has of them', () => {
  const world = new World();
  for (let i = 0; i < 4 * bodiesAtOnce; i++) expect(world.arrive(bodyBytes, bodyBytes, true)).toBe('begins');
  world.backlogBytes = intakeBytesMax;
  expect(world.arrive(bodyBytes, bodyBytes, true)).toBe('waits');
});

test('while those who fold take on nothing more, nobody begins but small ones; then the first in the queue does', () => {
  const world = new World();
  expect(world.arrive()).toBe('begins');
  world.takesOn = false;
  expect(world.arrive()).toBe('waits');
  expect(world.arrive(bodyBytes, bodyBytes, true)).toBe('waits');
  expect(world.arrive(waitingBodyBytesMin - 1)).toBe('begins');
  expect(world.intake.complete(world.bodies[0]!, bodyBytes)).toBe(true); // It was begun before.
  world.look();
  expect(world.told).toEqual([]);
  world.takesOn = true;
  world.look();
  expect(world.told).toEqual(['#1 begins', '#2 begins']);
  expect(world.takenOnBytes).toBe(3 * bodyBytes);
});

test('those who fold are not charged with what waits for the log, nor with small ones', () => {
  const world = new World();
  world.backlogBytes = intakeBytesMax;
  world.arriveMany(2);
  world.arrive(waitingBodyBytesMin - 1);
  world.look();
  expect(world.takenOnBytes).toBe(0);
});

test('what waits is bounded: the next one is refused, and announced ones before they are read', () => {
  const world = new World();
  world.backlogBytes = intakeBytesMax;
  expect(world.intake.isFullFor(bodyBytes)).toBe(false);
  expect(new Set(world.arriveMany(bodiesWaiting))).toEqual(new Set(['waits']));
  expect(world.intake.isFullFor(bodyBytes)).toBe(true);
  expect(world.intake.isFullFor(100)).toBe(false);
  expect(world.arrive()).toBe('refused');
  world.intake.leave(world.bodies[7]!); // Its client is gone.
  expect(world.intake.isFullFor(bodyBytes)).toBe(false);
  expect(world.arrive()).toBe('waits');
});

test('a body larger than all that may wait together waits where nobody else does', () => {
  const world = new World();
  world.backlogBytes = intakeBytesMax;
  expect(world.arrive(2 * waitingBytesMax)).toBe('waits');
  expect(world.arrive()).toBe('refused');
});

test('whoever waited too long is refused, those behind it wait on', () => {
  const world = new World();
  world.backlogBytes = intakeBytesMax;
  world.arrive();
  world.nowMs += 1_000;
  world.arrive();
  world.nowMs += waitingMsMax - 1_000;
  world.look();
  expect(world.told).toEqual(['#0 is refused']);
  world.nowMs += 1_000;
  world.look();
  expect(world.told).toEqual(['#0 is refused', '#1 is refused']);
  expect(world.looksAreDue).toBe(0);
});

test('when nothing can be taken any more, all that wait are told at once, and why', () => {
  const world = new World();
  world.backlogBytes = intakeBytesMax;
  world.arriveMany(3);
  world.obstacle = unavailable('the log is away');
  world.look();
  expect(world.told).toEqual([0, 1, 2].map((i) => `#${i} is refused: the log is away`));
  expect(world.intake.waitingBytes).toBe(0);
});

test('begun bodies that are parsed take their time: the rest follows in the next turns', () => {
  const world = new World();
  world.backlogBytes = intakeBytesMax;
  world.arriveMany(5);
  world.backlogBytes = 0;
  for (const body of world.bodies) {
    const {begin} = body;
    body.begin = () => {
      world.nowMs += turnShareMs / 2; // What parsing takes.
      begin();
    };
  }
  world.look();
  expect(world.told).toEqual(['#0 begins', '#1 begins']);
  for (const begun of [2, 4, 5]) {
    world.endTurn();
    expect(world.told).toHaveLength(begun);
  }
  expect(world.looksAreDue).toBe(0);
});

test('what is whole past the share of a turn is used in the next ones, in its order; small ones are used where they are', () => {
  const world = new World();
  const parsed = Array.from({length: 5}, () => world.parse(turnShareMs / 2));
  expect(parsed).toEqual([true, true, false, false, false]);
  expect(world.intake.isUsedAtOnce(waitingBodyBytesMin - 1)).toBe(true);
  expect(world.intake.complete(world.bodies[0]!, 100)).toBe(true);
  world.endTurn();
  expect(world.parse(0)).toBe(false); // Behind those that wait.
  expect(world.told).toEqual([]);
  world.endTurn();
  expect(world.told).toEqual(['#2 is used', '#3 is used']);
  world.endTurn();
  expect(world.told.slice(2)).toEqual(['#4 is used', '#5 is used']);
  world.endTurn();
  expect(world.parse(0)).toBe(true);
});

test('one that takes longer than the share is used all the same, and one whose client is gone is not', () => {
  const world = new World();
  expect(world.parse(10 * turnShareMs)).toBe(true);
  for (let i = 0; i < 3; i++) expect(world.parse(10 * turnShareMs)).toBe(false);
  world.intake.leave(world.bodies[1]!);
  for (const told of [[], ['#2 is used'], ['#2 is used', '#3 is used']]) {
    world.endTurn();
    expect(world.told).toEqual(told);
  }
});
