// Who is held when memory is used up, and who goes on, with a clock and a memory that the test moves.
import {expect, test} from 'vitest';
import {BodiesUnderWay, type BodyUnderWay, heldMsMax} from '../../src/edge/admission/bodies-under-way.js';

class World {
  nowMs = 1_000;
  room = 0;
  readonly told: string[] = [];
  private readonly looks: (() => void)[] = [];
  readonly underWay = new BodiesUnderWay({monotonicMs: () => this.nowMs, soon: (look) => this.looks.push(look)});

  begin(name: string, needs: number): BodyUnderWay {
    const body: BodyUnderWay = {
      reserve: () => {
        if (needs > this.room) return false;
        this.room -= needs;
        return true;
      },
      hold: () => this.told.push(`${name} is held`),
      goOn: () => this.told.push(`${name} goes on`),
      refuse: () => this.told.push(`${name} is refused`),
    };
    this.underWay.begin(body);
    return body;
  }

  look(): string[] {
    this.told.length = 0;
    for (const look of this.looks.splice(0)) look();
    return [...this.told];
  }

  get looksAreDue(): number {
    return this.looks.length;
  }
}

test('all are held at once, and go on in their order as there is room for all of their rest', () => {
  const world = new World();
  const bodies = ['ada', 'bob', 'cy'].map((name) => world.begin(name, 3));
  world.underWay.holdAll();
  expect(world.told).toEqual(['ada is held', 'bob is held', 'cy is held']);
  world.room = 4;
  expect(world.look()).toEqual(['ada goes on']);
  expect(world.look()).toEqual([]);
  world.underWay.leave(bodies[0]!); // Whole.
  world.room = 6;
  expect(world.look()).toEqual(['bob goes on', 'cy goes on']);
  expect(world.looksAreDue).toBe(0);
});

test('a large one does not hold up the small ones behind it', () => {
  const world = new World();
  world.begin('large', 10);
  world.begin('small', 1);
  world.underWay.holdAll();
  world.room = 5;
  expect(world.look()).toEqual(['small goes on']);
  world.room = 10;
  expect(world.look()).toEqual(['large goes on']);
});

test('who is held too long is refused, and makes room for the next; who left is told nothing', () => {
  const world = new World();
  world.begin('ada', 3);
  const gone = world.begin('gone', 3);
  world.begin('bob', 3);
  world.underWay.holdAll();
  world.underWay.leave(gone);
  expect(world.look()).toEqual([]);
  world.nowMs += heldMsMax;
  expect(world.look()).toEqual(['ada is refused', 'bob is refused']);
  expect(world.looksAreDue).toBe(0);
});

test('one that goes on is held again with the others when memory is used up once more', () => {
  const world = new World();
  world.begin('ada', 1);
  world.underWay.holdAll();
  world.room = 1;
  world.look();
  world.begin('bob', 1);
  world.told.length = 0;
  world.underWay.holdAll();
  expect(world.told).toEqual(['ada is held', 'bob is held']);
});
