// What clients can make grow in a partition, beside the names of events and message ids, which have bounds of their own.
//   Nothing is refused for it: events that were sent are stored. But an operator must know before memory ends.
import type {Partition} from '../../actors/partition.js';
import type {DictionaryMeasures} from '../measures.js';
import type {Layout} from './snapshot/layout.js';

/** Share of the memory of the machine, container or unit that a dictionary of all partitions may take. */
const memoryShare = 0.25;
/** Share of the keys' addresses in a table (actors/table/interned.ts). */
const keyBytesMax = 0.8 * 2 ** 32;
/** Names that people give; ids are more. */
const namesMax = 2_000;

/** Size of each dictionary, and that at which the alarm `dictionaries` begins. */
export function dictionariesOf(
  partition: Pick<Partition, 'users' | 'links'>,
  {propertyNames}: Pick<Layout, 'propertyNames'>,
  memoryBytesMax: number,
): DictionaryMeasures[] {
  const {users, links} = partition;
  const bytesMax = Math.min(keyBytesMax, memoryBytesMax * memoryShare);
  return [
    {dictionary: 'users', entries: users.table.live, size: bytesOf([users.table]), alarmAt: bytesMax},
    {
      dictionary: 'devices',
      entries: links.devices.live,
      size: bytesOf([links.devices, links.owners]),
      alarmAt: bytesMax,
    },
    ofNames('property_names', propertyNames.count),
    ofNames('trait_names', users.profiles.traitNames.count),
  ];
}

const ofNames = (dictionary: 'property_names' | 'trait_names', count: number): DictionaryMeasures => ({
  dictionary,
  entries: count,
  size: count,
  alarmAt: namesMax,
});

/** Memory of tables, room for growth included. */
const bytesOf = (tables: readonly Partition['users']['table'][]): number =>
  tables.reduce((sum, table) => {
    const {keys, offsets, slots} = table.memory();
    return sum + keys + offsets + slots;
  }, 0);

/** The dictionaries that an operator must know of. */
export const largeOf = (dictionaries: readonly DictionaryMeasures[]): DictionaryMeasures[] =>
  dictionaries.filter(({size, alarmAt}) => size >= alarmAt);
