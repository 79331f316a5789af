// Of which columns reports keep the values in memory where nearly each row has its own (actors/chunk/rows.ts R7): those of the
// properties that were asked for lately. Sessions and the like are a third of what rows take, and hardly ever counted by.

import type {PropertyName} from '../../actors/report/counts/property-name.js';
import {monotonicMs} from '../clock.js';

/** A service asks about few such properties at a time: the one that was asked for longest ago goes first. */
const propertiesMax = 4;
/** Who goes on asking after it finds new parts without the values, and notes it again. */
const interestMs = 30 * 60_000;

export class AskedColumns {
  private readonly clockMs: () => number;
  private asked: readonly {readonly property: PropertyName; readonly untilMs: number}[] = [];

  /** `clockMs`: monotonic. */
  constructor(clockMs: () => number = monotonicMs) {
    this.clockMs = clockMs;
  }

  /** Values of this property were asked for and not at hand. */
  note(property: PropertyName): void {
    const others = this.asked.filter((each) => each.property.text !== property.text);
    this.asked = [{property, untilMs: this.clockMs() + interestMs}, ...others].slice(0, propertiesMax);
  }

  /** Whether the values of the property with this key are kept in parts that are read now. */
  keeps(key: Uint8Array): boolean {
    return this.asked.some(({property, untilMs}) => property.isKey(key) && this.clockMs() < untilMs);
  }
}
