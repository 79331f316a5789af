// `?`: every key of the dashboard, and the switch of the single letters.
import {Fragment} from 'preact';
import {Dialog} from '../controls/dialog';
import {may} from '../service/session';
import {hasLetters, openDialog, setLetters} from './keys';
import './palette.css';
import {isShown, places} from './places';

type Row = readonly [keys: readonly string[], does: string];

const groups = (): readonly (readonly [title: string, rows: readonly Row[]])[] => [
  [
    'Everywhere',
    [
      [['Ctrl', 'K'], 'Go to a page, a person or an event; on a Mac Command'],
      [['?'], 'This list'],
      [['/'], 'Find something on this page'],
      [['j', 'k'], 'Next row, row before; Enter opens it'],
      ...places
        .filter((place) => isShown(place) && place.letter !== undefined)
        .map(({letter, name}): Row => [['g', letter!], name]),
    ],
  ],
  [
    'Reports',
    [
      [['d', 'y'], 'Today, yesterday'],
      [['w', 'm', 'q', 'h'], 'Last 7, 30, 90 days, 12 months'],
      [['c'], 'Type other days'],
      [['[', ']'], 'The days before, the days after'],
      [['x'], 'Compare with the time before, the same weekdays, the year before, nothing'],
      [['←', '→'], 'In a chart: read its values'],
      ...(may('analyst')
        ? [[['a'], 'In a chart of Overview, Trends or Active users: annotate where the crosshair stands'] as Row]
        : []),
      [['Alt', '↑'], 'In a funnel: move the step; on a board: move the pin'],
    ],
  ],
  ['Live', [[['p'], 'Pause Live load, hold arriving events']]],
];

export function KeyList() {
  return (
    <Dialog
      title="Keys"
      onClose={() => {
        openDialog.value = undefined;
      }}
    >
      {groups().map(([title, rows], at) => (
        <section key={title} aria-label={title}>
          {/* The focus: on the first control, which is below all of them, the dialog would open at its end. */}
          <h3 tabIndex={-1} autofocus={at === 0}>
            {title}
          </h3>
          <dl class="key-list">
            {rows.map(([keys, does]) => (
              <Fragment key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={hasLetters.value}
          onChange={({currentTarget}) => setLetters(currentTarget.checked)}
        />
        Single letters do this
      </label>
      <p class="help">Switch them off if you speak to your computer, or press keys by accident. Ctrl-K stays.</p>
      <div class="dialog-foot">
        <button
          type="button"
          class="button primary"
          onClick={() => {
            openDialog.value = undefined;
          }}
        >
          Done
        </button>
      </div>
    </Dialog>
  );
}
