// Which columns the list of people has, and what people are called in every list.
import {useState} from 'preact/hooks';
import type {TitleTraits} from '../../../../src/edge/dashboard/answers/titles.js';
import {DialogForm} from '../../controls/dialog-form';
import {Popover} from '../../controls/popover';
import {change, type Fault} from '../../service/client';
import {may, session} from '../../service/session';
import type {ListedUser} from '../../service/user-list';
import {Icon} from '../../shell/icon';
import {traitColumn, traitOfColumn, usualColumns} from './people-address';
import {valueText} from './trait-text';

const words = {last_seen: 'Last seen', first_seen: 'First seen', traits: 'All traits in one'} as const;
/** Traits to choose from: those of most of the listed people. */
const offeredMax = 30;

export const traitCell = (traits: ListedUser['traits'], name: string): string =>
  Object.hasOwn(traits, name) ? valueText(traits[name]) : '';

export function ColumnsButton({
  users,
  columns,
  onChoose,
}: {
  readonly users: readonly ListedUser[];
  readonly columns: readonly string[];
  readonly onChoose: (columns: readonly string[]) => void;
}) {
  const [isNaming, setNaming] = useState(false);
  const chosen = columns.flatMap((column) => traitOfColumn(column) ?? []);
  const offered = [...new Set([...chosen, ...traitsOf(users)])].slice(0, Math.max(offeredMax, chosen.length));
  const choose = (column: string, is: boolean): void =>
    onChoose(is ? [...columns, column] : columns.filter((one) => one !== column));
  const box = (column: string, text: string) => (
    <label key={column}>
      <input
        type="checkbox"
        checked={columns.includes(column)}
        onChange={({currentTarget}) => choose(column, currentTarget.checked)}
      />
      {text}
    </label>
  );
  return (
    <>
      <Popover label="Columns" title="Columns" look="quiet" button={<Icon name="table" />}>
        {(close) => (
          <div class="columns-panel">
            <h3>Columns</h3>
            <div class="columns-list">
              {usualColumns.map((column) => box(column, words[column]))}
              {offered.map((name) => box(traitColumn(name), name))}
            </div>
            <p class="help">
              People are called by the first of these traits that they have:{' '}
              {session.value?.titles.join(', ') || 'none'}.
            </p>
            {may('admin') && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  close();
                  setNaming(true);
                }}
              >
                Change what people are called
              </button>
            )}
          </div>
        )}
      </Popover>
      {isNaming && <TitleDialog onClose={() => setNaming(false)} />}
    </>
  );
}

/** The most frequent first. */
function traitsOf(users: readonly ListedUser[]): string[] {
  const counts = new Map<string, number>();
  for (const {traits} of users) for (const name of Object.keys(traits)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function TitleDialog({onClose}: {readonly onClose: () => void}) {
  const [text, setText] = useState((session.value?.titles ?? []).join(', '));
  const set = async (): Promise<Fault | undefined> => {
    const traits = text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const answer = await change<TitleTraits>('PUT', 'titles', {traits});
    if (answer.kind === 'fault') return answer.fault;
    if (session.value) session.value = {...session.value, titles: answer.value.traits};
    onClose();
    return undefined;
  };
  return (
    <DialogForm title="What people are called" actText="Save" act={set} onClose={onClose}>
      <label for="title-traits">Traits, with commas between them</label>
      <input
        id="title-traits"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({currentTarget}) => setText(currentTarget.value)}
      />
      <p class="help">
        The first trait that a person has is shown in place of the id, on every page and for everybody who signs in. The
        search of People reads these traits. Without any, people are shown by their ids.
      </p>
    </DialogForm>
  );
}
