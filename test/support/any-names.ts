// Event names for an edge that knows none yet, with room for more than a test has.
import {KnownNames} from '../../src/ingest/known-names.js';
import {NamedEntries} from '../../src/ingest/named-entries.js';

export const anyNames = (partitionCount: number): NamedEntries =>
  new NamedEntries(
    new KnownNames(10_000, partitionCount),
    () => 0,
    () => undefined,
  );
