// Indexes of reports over the room of a cache, for tests.

import {createLogger} from '../../src/observe.js';
import type {PartsCache} from '../../src/parts/parts-cache.js';
import {DerivedIndexes} from '../../src/report/derived/derived-indexes.js';

type Options = ConstructorParameters<typeof DerivedIndexes>[2];

export const derivedIn = (cache: PartsCache, options: Options = {}): DerivedIndexes =>
  new DerivedIndexes(cache.memory, createLogger('silent', 'test'), options);
