// The names of events as options of a picker, with what people say of them.
//   DO1. The most frequent ones are first. Planned ones without events come after them, retired ones last.

import type {DescribedNameAnswer} from '../../../src/edge/answers/described-names.js';
import {count} from '../charts/format.js';

type Said = Pick<DescribedNameAnswer, 'event' | 'description' | 'state'>;

interface DescribedOption {
  readonly value: string;
  readonly note: string;
  readonly about?: string;
  readonly isFaint: boolean;
}

export function describedOptions(
  names: readonly {readonly name: string; readonly count: number}[],
  described: readonly Said[],
): DescribedOption[] {
  const saidOf = new Map<string, Said>();
  for (const one of described) if (!saidOf.has(one.event)) saidOf.set(one.event, one);
  const isRetired = (name: string): boolean => saidOf.get(name)?.state === 'retired';
  const optionOf = (name: string, times?: number): DescribedOption => {
    const {state = 'live', description = ''} = saidOf.get(name) ?? {};
    const note = [...(times === undefined ? [] : [count(times)]), ...(state === 'live' ? [] : [state])].join(', ');
    return {value: name, note, ...(description !== '' && {about: description}), isFaint: state === 'retired'};
  };
  const seen = names.toSorted((a, b) => b.count - a.count);
  const known = new Set(seen.map(({name}) => name));
  const planned = [...saidOf.values()].filter(({event, state}) => state === 'planned' && !known.has(event));
  return [
    ...seen.filter(({name}) => !isRetired(name)).map((one) => optionOf(one.name, one.count)),
    ...planned.map(({event}) => optionOf(event)),
    ...seen.filter(({name}) => isRetired(name)).map((one) => optionOf(one.name, one.count)),
  ];
}
