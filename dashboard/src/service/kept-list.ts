// Things of one kind that people keep, as this browser last read them.
import {type Signal, signal} from '@preact/signals';
import {type Answer, change, type Fault, faultOf, type Listed, read} from './client';

export interface KeptList<Item> {
  /** Undefined before the first answer. */
  readonly items: Signal<readonly Item[] | undefined>;
  /** Why the last reading failed. */
  readonly fault: Signal<Fault | undefined>;
  readonly read: () => Promise<void>;
  /** Each reads the list again, and returns why nothing was changed. */
  readonly create: (members: object) => Promise<Fault | undefined>;
  readonly change: (item: Item, members: object) => Promise<Fault | undefined>;
  readonly remove: (item: Pick<Item & {readonly id: string}, 'id'>) => Promise<Fault | undefined>;
}

/** `path`: of the list. `taken` is called with each list that was read. */
export function keptList<Item extends {readonly id: string; readonly version: string}>(
  path: string,
  taken: (items: readonly Item[]) => void = () => {},
): KeptList<Item> {
  const items = signal<readonly Item[] | undefined>(undefined);
  const fault = signal<Fault | undefined>(undefined);
  const readAll = async (): Promise<void> => {
    const answer = await read<Listed<Item>>(path);
    fault.value = faultOf(answer);
    if (answer.kind === 'fault') return;
    items.value = answer.value.data;
    taken(answer.value.data);
  };
  const after = async (sent: Promise<Answer<unknown>>): Promise<Fault | undefined> => {
    const refused = faultOf(await sent);
    await readAll();
    return refused;
  };
  return {
    items,
    fault,
    read: readAll,
    create: (members) => after(change('POST', path, members)),
    change: ({id, version}, members) => after(change('PATCH', `${path}/${id}`, members, `"${version}"`)),
    remove: async ({id}) => {
      const refused = await after(change('DELETE', `${path}/${id}`));
      return refused?.code === 'not_found' ? undefined : refused; // Somebody else was faster.
    },
  };
}
