// Ctrl-K: a page, a board, a saved report, an event, a person by any part of the name, an export, an action. One list, moved through
// by arrows.
//   PA1. What takes out data or acts stands behind everything that is found, and last unless its name begins so. While answers are on
//        their way a row says so where they will stand: Enter waits for them, and never takes what stands behind.
//   PA2. The marked row stays marked, whatever comes above it.

import {useEffect, useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {flatOf} from '../../../src/asks/question/flat.js';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import type {UsersAnswer} from '../../../src/edge/answers/users.js';
import type {IconName} from '../../icons';
import {pageAddress} from '../address/base';
import {boardForm} from '../address/board-address';
import {addressAsking, isName} from '../address/codec';
import {questionAddress} from '../address/page-question';
import {namesQuestion, peopleForm} from '../address/report-address';
import {count} from '../charts/format';
import {Dialog} from '../controls/dialog';
import {useAsked} from '../service/asked';
import {boards, boardsFault, useBoards} from '../service/boards';
import {openedReport, readSavedReports, reportAddress, savedFault, savedReports} from '../service/saved-reports';
import {may, signOut} from '../service/session';
import {titleIn} from '../service/titles';
import {linkTo} from './carried-links';
import {Icon} from './icon';
import {openDialog, takeEarly} from './keys';
import {exportsFrom} from './palette-exports';
import './palette.css';
import {today} from '../service/today';
import {isShown, places} from './places';
import {switchTheme} from './theme-button';

const namesMax = 8;
const namesAtOnce = 1_000;
const savedMax = 8;
const namesDays = 30;
const peopleMax = 5;
/** Shorter texts find too many people to be worth reading all of them. */
const searchCharsMin = 3;
/** Who types on does not ask yet. */
const typingMs = 200;

export interface Choice {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  readonly note: string;
  /** Absent: answers that will stand here are on their way. */
  readonly take?: () => void;
  /** It takes out data or acts: it stands last, and is taken by a hand that sees it. PA1 */
  readonly isLast?: true;
}

/** PA2 */
export const chosenOf = (choices: readonly Choice[], marked: string | undefined): Choice | undefined =>
  choices.find(({key}) => key === marked) ?? choices[0];

export function Palette() {
  const [text, setText] = useState(takeEarly); // From here on the dialog is open, and what is typed goes to its field.
  const [marked, setMarked] = useState<string>();
  const [isTakenNext, setTakenNext] = useState(false);
  useEffect(() => void readSavedReports(), []);
  useBoards();
  const {route} = useLocation();
  const close = (): void => {
    openDialog.value = undefined;
  };
  const choices = useChoices(text.trim(), route);
  const chosen = chosenOf(choices, marked); // PA2
  const take = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    if (choice.take === undefined) setTakenNext(true);
    else {
      close();
      choice.take();
    }
  };
  useEffect(() => {
    if (!isTakenNext || chosen?.take === undefined) return;
    setTakenNext(false);
    if (!chosen.isLast) take(chosen); // PA1
  });
  const onKey = (event: KeyboardEvent): void => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (event.key === 'Enter') take(chosen);
    else if (step !== undefined && chosen !== undefined) {
      setTakenNext(false);
      setMarked(choices[(choices.indexOf(chosen) + step + choices.length) % choices.length]!.key);
    } else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={close}>
      <div class="palette">
        <input
          role="combobox"
          aria-label="A page, a person, or the name of an event"
          placeholder="A page, a person, or the name of an event"
          aria-expanded="true"
          aria-controls="palette-choices"
          aria-activedescendant={chosen && `palette-${chosen.key}`}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({currentTarget}) => {
            setText(currentTarget.value);
            setMarked(undefined);
            setTakenNext(false);
          }}
          onKeyDown={onKey}
        />
        <div class="choices" id="palette-choices" role="listbox" aria-label="Where to">
          {choices.map((choice) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field takes the option
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            <div
              key={choice.key}
              id={`palette-${choice.key}`}
              role="option"
              aria-selected={choice === chosen}
              aria-busy={choice.take === undefined}
              onClick={() => take(choice)}
              ref={(item) => {
                if (choice === chosen) item?.scrollIntoView({block: 'nearest'});
              }}
            >
              <Icon name={choice.icon} />
              <span class="name">{choice.name}</span>
              <span class="note">{choice.note}</span>
            </div>
          ))}
        </div>
        {choices.length === 0 && <p class="help">Nothing has this name.</p>}
        <p class="help">
          <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> goes there, <kbd>Esc</kbd> closes
        </p>
      </div>
    </Dialog>
  );
}

/** Names of events with the text anywhere in them, the most frequent first, and whether more of them are on their way. */
function useNames(text: string): {readonly names: NamesAnswer['data']; readonly isReading: boolean} {
  const days = {from: today.value - namesDays + 1, to: today.value};
  const [every] = useAsked<NamesAnswer>(flatOf(namesQuestion(days, namesAtOnce)));
  const all = every.value.value;
  // One answer may lack names. Then a second question asks for the names that begin with the text.
  const isCut = all?.has_more === true && isName(text);
  const [begun] = useAsked<NamesAnswer>(isCut ? flatOf(namesQuestion(days, namesMax, text)) : undefined);
  const lower = text.toLowerCase();
  const known = new Map(
    [...(all?.data ?? []), ...(isCut ? (begun.value.value?.data ?? []) : [])]
      .filter(({name}) => name.toLowerCase().includes(lower))
      .map((one) => [one.name, one]),
  );
  const names = [...known.values()].sort((a, b) => b.count - a.count).slice(0, namesMax);
  const isReading = every.value.isAsking || (isCut && begun.value.isAsking);
  return {names: text === '' ? [] : names, isReading};
}

/** The people whom the text finds as on the page People: by a part of the title, of the e-mail or of the id. */
function usePeople(text: string): {readonly people: UsersAnswer['data']; readonly isReading: boolean} {
  const wanted = may('analyst') && text.length >= searchCharsMin && isName(text) ? text : '';
  const [searched, setSearched] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearched(wanted), wanted === '' ? 0 : typingMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const path = `v1/users?search=${encodeURIComponent(searched)}&limit=${peopleMax}`;
  const [found] = useAsked<UsersAnswer>(searched === '' ? undefined : path);
  if (wanted === '') return {people: [], isReading: false};
  const isReading = searched !== wanted || found.value.isAsking;
  return {people: isReading ? [] : (found.value.value?.data ?? []), isReading};
}

/** The address with what goes along to its page; nothing does to the page of one person. */
function alongTo(address: string): string {
  const at = address.indexOf('?');
  if (at < 0) return linkTo(address);
  const path = address.slice(0, at);
  return path === '/people' ? pageAddress(address) : linkTo(path, address.slice(at));
}

const reading: Choice = {key: 'reading', icon: 'search', name: 'Reading …', note: 'events, people, boards and reports'};

function useChoices(text: string, route: (address: string) => void): readonly Choice[] {
  const {names, isReading} = useNames(text);
  const {people, isReading: areReading} = usePeople(text);
  const lower = text.toLowerCase();
  const isLike = (name: string): boolean => name.toLowerCase().includes(lower);
  const to = (address: string) => (): void => route(alongTo(address));
  const isBegun = (name: string): boolean => text !== '' && name.toLowerCase().startsWith(lower);
  const doings = [
    ...(text === '' ? [] : exportsFrom(to)).filter(({name, note}) => isLike(`${name} ${note}`)),
    ...[
      {key: 'theme', icon: 'moon' as const, name: 'Switch between light and dark', note: '', take: switchTheme},
      {
        key: 'letters',
        icon: 'Sparkles' as const,
        name: 'All keys',
        note: '?',
        take: () => {
          openDialog.value = 'keys';
        },
      },
      {key: 'out', icon: 'signOut' as const, name: 'Sign out', note: '', take: () => void signOut()},
    ].filter(({name}) => isLike(name)),
  ].map((choice): Choice => ({...choice, isLast: true}));
  const isSavedUnread = savedReports.value === undefined && savedFault.value === undefined;
  const areBoardsUnread = boards.value === undefined && boardsFault.value === undefined;
  const isWaiting = text !== '' && (isReading || areReading || isSavedUnread || areBoardsUnread);
  return [
    ...places
      .filter((place) => isShown(place) && isLike(place.name))
      .map(({path, name, icon, letter}) => ({
        key: `page${path}`,
        icon,
        name,
        note: letter === undefined ? '' : `g ${letter}`,
        take: to(path),
      })),
    ...(isWaiting ? [reading] : []), // PA1
    ...(text === '' ? [] : (boards.value ?? []))
      .filter(({name}) => isLike(name))
      .map(({id, name}) => ({
        key: `board-${id}`,
        icon: 'table' as const,
        name,
        note: 'a board',
        take: to(`/boards${addressAsking(boardForm, {board: id})}`),
      })),
    ...(text === '' ? [] : (savedReports.value ?? []))
      .filter(({name}) => isLike(name))
      .slice(0, savedMax)
      .map((report) => ({
        key: `saved-${report.id}`,
        icon: 'bookmark' as const,
        name: report.name,
        note: `saved by ${report.changed_by}`,
        take: () => {
          openedReport.value = report;
          route(reportAddress(report));
        },
      })),
    ...names.map(({name, count: times}) => ({
      key: `event-${name}`,
      icon: 'trends' as const,
      name,
      note: `its trend, ${count(times)} in 30 days`,
      take: to(questionAddress<'counts'>('/trends', {events: [{event: name}]})),
    })),
    ...people.map(({kind, id, traits}) => ({
      key: `person-${kind}/${id}`,
      icon: 'users' as const,
      name: titleIn(traits) ?? id,
      note: titleIn(traits) === undefined ? 'a person' : id,
      take: to(`/people${addressAsking(peopleForm, {[kind]: id})}`),
    })),
    ...doings.filter(({name}) => isBegun(name)),
    // Somebody whom no report has yet is found by the exact id alone.
    ...(may('analyst') && isName(text) && !people.some(({id}) => id === text)
      ? (['user', 'anonymous'] as const).map((kind) => ({
          key: kind,
          icon: 'users' as const,
          name: `Look up the ${kind === 'user' ? 'user' : 'anonymous visitor'} ${text}`,
          note: 'by exact id',
          take: to(`/people${addressAsking(peopleForm, {[kind]: text})}`),
        }))
      : []),
    ...doings.filter(({name}) => !isBegun(name)),
  ];
}
